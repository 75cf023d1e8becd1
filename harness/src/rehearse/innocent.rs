//! Generated programs that keep every rule, in a world without a platform: no rule blames them, whatever the fault.
use std::collections::BTreeSet;
use std::time::Duration;

use alloy::consensus::{SignableTransaction as _, TxEip1559};
use alloy::eips::eip2718::Encodable2718 as _;
use alloy::primitives::{Address, B256, Bytes, TxKind, U256};
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use alloy::sol_types::SolCall as _;
use hyper::HeaderMap;
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook::{buyCall, createLaunchCall};
use slipway_contracts::bindings::{CaptchaAuth, CreateLaunchParams, IERC20, IUniswapV2Router02 as Router};
use slipway_scenarios::model::seed::Choices;

use super::fault::{Fault, Treatment};
use super::record::{Asked, Exchange, Part};
use super::rules::{self, Case, RULES};

const PROGRAMS: u64 = 200;
const CHAIN: u64 = 57073;
const PAGES: u64 = 3;

/// A run of a program, and the world that answers it.
struct World {
    fault: Fault,
    draws: Choices,
    now: Duration,
    met: BTreeSet<String>,
    exchanges: Vec<Exchange>,
    signer: PrivateKeySigner,
    nonce: u64,
    captchas: u64,
}

/// The program gives up, as a client may.
struct GaveUp;

type Step<T = ()> = Result<T, GaveUp>;

impl World {
    fn new(fault: Fault, seed: u64) -> Self {
        Self {
            fault,
            draws: Choices::new(seed, "innocent"),
            now: Duration::ZERO,
            met: BTreeSet::new(),
            exchanges: Vec::new(),
            signer: PrivateKeySigner::from_bytes(&B256::repeat_byte(7)).unwrap(),
            nonce: 0,
            captchas: 0,
        }
    }

    /// Sends one request now; returns the part of the answer that the client gets, or the seconds it must wait.
    fn ask(&mut self, asked: Asked, mut answer: Value) -> Result<Value, u64> {
        let kind = self.fault.kind(&asked);
        let treatment = self.fault.treatment(&asked, !self.met.contains(&kind));
        let grows = treatment == Treatment::GrowList && asked.page() == Some(PAGES);
        if treatment != Treatment::Pass && (treatment != Treatment::GrowList || grows) {
            self.met.insert(kind);
        }
        let (mut status, mut late, mut is_disturbed) = (Some(200), 1, grows);
        match treatment {
            Treatment::Refuse(code) | Treatment::Lose(code) => (status, is_disturbed) = (Some(code), true),
            Treatment::Cut => (status, is_disturbed) = (None, true),
            Treatment::UsedCaptcha => status = Some(403),
            Treatment::Slow => late = 3_000,
            Treatment::GrowList if grows => answer["totalPages"] = json!(PAGES + 1),
            Treatment::OtherChain => answer["result"] = json!("0x1"),
            _ => {}
        }
        let wait = if status == Some(429) { 2 } else { 0 };
        let seen = if status == Some(200) { answer } else { Value::Null };
        self.exchanges.push(Exchange {
            asked,
            came: self.now,
            answered: Some(self.now + Duration::from_millis(late)),
            is_forwarded: !matches!(treatment, Treatment::Refuse(_) | Treatment::UsedCaptcha),
            is_disturbed,
            status,
            retry_after: (wait > 0).then_some(wait),
            answer: seen.clone(),
            request_id: None,
            cause: None,
        });
        if status == Some(200) { Ok(seen) } else { Err(wait) }
    }

    fn pass(&mut self, milliseconds: u64) {
        self.now += Duration::from_millis(milliseconds);
    }

    /// Reads in parallel, then retries the failed reads when the waits are over.
    fn read_together(&mut self, targets: &[(Part, String, Value)]) -> Step<Vec<Value>> {
        let read = |part, target: &str| Asked::read(part, "GET", target, &HeaderMap::new(), b"");
        let mut answers: Vec<Result<Value, u64>> = targets
            .iter()
            .map(|(part, target, answer)| self.ask(read(*part, target), answer.clone()))
            .collect();
        let wait = answers.iter().filter_map(|answer| answer.as_ref().err()).max().copied();
        self.pass(3_100 + wait.unwrap_or_default() * 1_000);
        for ((part, target, answer), got) in targets.iter().zip(&mut answers) {
            if got.is_err() {
                *got = self.ask(read(*part, target), answer.clone());
                self.pass(5);
            }
        }
        answers.into_iter().map(|answer| answer.map_err(|_| GaveUp)).collect()
    }

    fn read(&mut self, part: Part, target: &str, answer: Value) -> Step<Value> {
        Ok(self.read_together(&[(part, target.to_owned(), answer)])?.remove(0))
    }

    fn call(&mut self, method: &str, params: Value, result: Value) -> Result<Value, u64> {
        let body = json!({ "id": 1, "method": method, "params": params }).to_string();
        let asked = Asked::read(Part::Node(CHAIN), "POST", "/", &HeaderMap::new(), body.as_bytes());
        self.pass(4);
        let answered = self.ask(asked, json!({ "id": 1, "result": result }));
        self.pass(4);
        answered
    }

    /// Signs and sends once; whatever the answer, looks for the receipt.
    fn send(&mut self, to: Address, input: Bytes, value: U256) -> Step {
        let chain = self.call("eth_chainId", json!([]), json!("0xdef1"));
        if chain.map_err(|_| GaveUp)?["result"] != "0xdef1" {
            return Err(GaveUp);
        }
        let transaction = TxEip1559 {
            chain_id: CHAIN,
            nonce: self.nonce,
            to: TxKind::Call(to),
            input,
            value,
            ..TxEip1559::default()
        };
        self.nonce += 1;
        let signature = self.signer.sign_hash_sync(&transaction.signature_hash()).unwrap();
        let signed = transaction.into_signed(signature);
        let raw = Bytes::from(signed.encoded_2718());
        let hash = json!(signed.hash());
        let sent = self.call("eth_sendRawTransaction", json!([raw]), hash.clone());
        if sent.is_err() && below(&mut self.draws, 4) == 0 {
            return Err(GaveUp);
        }
        if self.fault == Fault::Slow {
            self.pass(3_000);
        }
        let receipt = json!({ "transactionHash": hash, "status": "0x1" });
        self.call("eth_getTransactionReceipt", json!([hash]), receipt).map_err(|_| GaveUp)?;
        Ok(())
    }

    fn launch(&mut self, number: u64) -> Step {
        let is_open = self.fault != Fault::CreationPaused;
        let capabilities = json!({
            "chainId": CHAIN,
            "flags": { "create": is_open },
            "activeCreationDeployment": { "status": "active" },
        });
        let answer = self.read(Part::Rest, "/api/capabilities?chainId=57073", capabilities)?;
        if answer["flags"]["create"] != true {
            return Ok(());
        }
        let params = CreateLaunchParams { name: format!("Token {number}"), ..CreateLaunchParams::default() };
        self.send(hook(), createLaunchCall { params }.abi_encode().into(), U256::ZERO)
    }

    /// Makes the same purchase several times.
    fn buy(&mut self) -> Step {
        let (launch, least) =
            (U256::from(below(&mut self.draws, 3)), U256::from(1 + below(&mut self.draws, 9)));
        for _ in 0..=below(&mut self.draws, 3) {
            let auth = CaptchaAuth { deadline: 0, nonce: B256::ZERO, signature: Bytes::new() };
            let input = buyCall { launchId: launch, minTokensOut: least, auth }.abi_encode();
            self.send(hook(), input.into(), U256::from(1_000))?;
        }
        Ok(())
    }

    fn approve(&mut self) -> Step {
        let held =
            U256::from(u128::MAX >> below(&mut self.draws, 40)) - U256::from(below(&mut self.draws, 1_000));
        let token = Address::repeat_byte(9);
        self.call("eth_call", json!([{ "to": token }]), json!(B256::from(held))).map_err(|_| GaveUp)?;
        for amount in [U256::ZERO, held] {
            self.send(
                token,
                IERC20::approveCall { spender: hook(), amount }.abi_encode().into(),
                U256::ZERO,
            )?;
        }
        Ok(())
    }

    /// Trades a quoted swap in one of the possible ways.
    fn swap(&mut self) -> Step {
        let (to, value) = (Address::repeat_byte(4), U256::from(10_u64.pow(16)));
        let call = Router::swapExactETHForTokensCall {
            amountOutMin: U256::from(5_000 + below(&mut self.draws, 3)),
            path: vec![to, hook()],
            to: self.signer.address(),
            deadline: U256::from(self.now.as_secs() + 600),
        };
        let data = Bytes::from(call.abi_encode());
        let quote = json!({ "transaction": { "to": to, "data": data, "value": value.to_string() } });
        self.read(Part::Swap, "/api/quote?amount=1", quote)?;
        let transaction = json!({ "to": to, "input": data });
        let (method, params) = match below(&mut self.draws, 3) {
            0 => ("eth_call", json!([transaction, "latest"])),
            1 => ("eth_estimateGas", json!([transaction])),
            _ => ("eth_simulateV1", json!([{ "blockStateCalls": [{ "calls": [transaction] }] }, "latest"])),
        };
        self.call(method, params, json!("0x")).map_err(|_| GaveUp)?;
        self.send(to, data, value)
    }

    /// Uploads pictures of several wallets at once, each with its own captcha token.
    fn upload(&mut self) -> Step {
        for wallet in 0..=below(&mut self.draws, 3) {
            self.captchas += 1;
            let field = |name: &str, value: String| format!("name=\"{name}\"\r\n\r\n{value}\r\n");
            let body = field("captchaToken", self.captchas.to_string())
                + field("walletAddress", format!("0x{wallet}")).as_str();
            let asked = Asked::read(Part::Rest, "POST", "/api/upload", &HeaderMap::new(), body.as_bytes());
            _ = self.ask(asked, Value::Null);
        }
        self.pass(3_100);
        Ok(())
    }

    /// Reads the records of several tokens at once, some of them twice.
    fn watch(&mut self) -> Step {
        let targets: Vec<_> = (0..=below(&mut self.draws, 5))
            .map(|_| (Part::Rest, format!("/api/token?address=0x{}", below(&mut self.draws, 3)), json!({})))
            .collect();
        self.read_together(&targets).map(drop)
    }

    fn walk(&mut self) -> Step {
        let (mut page, mut pages) = (1, 1);
        while page <= pages {
            let answer =
                self.read(Part::Rest, &format!("/api/tokens?page={page}"), json!({ "totalPages": PAGES }))?;
            pages = answer["totalPages"].as_u64().unwrap();
            page += 1;
        }
        Ok(())
    }

    fn run(mut self, steps: &[u64]) -> Vec<Exchange> {
        for (number, step) in (0..).zip(steps) {
            let done = match step {
                0 => self.launch(number),
                1 => self.buy(),
                2 => self.approve(),
                3 => self.swap(),
                4 => self.upload(),
                5 => self.watch(),
                _ => self.walk(),
            };
            self.pass(1_000);
            if done.is_err() {
                break;
            }
        }
        self.exchanges
    }
}

fn below(draws: &mut Choices, bound: u32) -> u64 {
    draws.index(bound as usize) as u64
}

fn hook() -> Address {
    Address::repeat_byte(3)
}

#[test]
fn generated_innocent_programs_break_no_rule() {
    for seed in 0..PROGRAMS {
        let mut draws = Choices::new(seed, "program");
        let steps: Vec<u64> = (0..=below(&mut draws, 6)).map(|_| below(&mut draws, 7)).collect();
        let undisturbed = World::new(Fault::Nothing, seed).run(&steps);
        for fault in Fault::of_rehearsal(false) {
            let exchanges = &World::new(fault, seed).run(&steps);
            let undisturbed = (fault != Fault::Nothing).then_some(&*undisturbed);
            let case = Case { fault, exchanges, undisturbed, canaries: None, timed_out: false };
            let findings = rules::judge(&RULES, &case);
            assert!(findings.is_empty(), "program {seed} {steps:?}: {findings:#?}");
        }
    }
}
