//! Generated programs that keep every rule, in a world without a platform: no rule blames them, whatever the fault.
use std::time::Duration;

use alloy::consensus::{SignableTransaction as _, TxEip1559};
use alloy::eips::eip2718::Encodable2718 as _;
use alloy::primitives::{Address, B256, Bytes, TxKind, U256};
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use alloy::sol_types::SolCall;
use hyper::HeaderMap;
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook::{buyCall, createLaunchCall};
use slipway_contracts::bindings::{CaptchaAuth, CreateLaunchParams, IERC20, IUniswapV2Router02 as Router};
use slipway_scenarios::model::seed::Choices;

use super::canary::Canaries;
use super::fault::{Act, Fault};
use super::record::{Asked, Exchange, Part};
use super::rules::{self, Case, RULES};

const PROGRAMS: u64 = 200;
const CHAIN: u64 = 57073;
const PAGES: u64 = 3;
const HOOK: Address = Address::repeat_byte(3);

/// A run of a program, and the world that answers it.
struct World {
    fault: &'static Fault,
    draws: Choices,
    now: Duration,
    exchanges: Vec<Exchange>,
    signer: PrivateKeySigner,
    nonce: u64,
    captchas: u64,
}

/// The program gives up, as a client may.
struct GaveUp;

type Step<T = ()> = Result<T, GaveUp>;

impl World {
    fn new(fault: &'static Fault, seed: u64) -> Self {
        Self {
            fault,
            draws: Choices::new(seed, "innocent"),
            now: Duration::ZERO,
            exchanges: Vec::new(),
            signer: PrivateKeySigner::from_bytes(&B256::repeat_byte(7)).unwrap(),
            nonce: 0,
            captchas: 0,
        }
    }

    /// Sends one request now; returns the part of the answer that the client gets, or the seconds it must wait.
    fn ask(&mut self, asked: Asked, mut answer: Value) -> Result<Value, u64> {
        let mut act = self.fault.act_on(&asked, &self.exchanges);
        if act == Act::GrowList && asked.page() != Some(PAGES) {
            act = Act::Nothing;
        }
        let mut exchange = Exchange { asked, act, came: self.now, status: Some(200), ..Exchange::default() };
        let mut late = 1;
        match act {
            Act::Refuse(code) => exchange.status = Some(code),
            Act::Cut => exchange.status = None,
            Act::UseCaptcha => exchange.status = Some(403),
            Act::Delay => late = 3_000,
            Act::GrowList => answer["totalPages"] = json!(PAGES + 1),
            Act::OtherChain => answer["result"] = json!("0x1"),
            _ => {}
        }
        exchange.answered = Some(self.now + Duration::from_millis(late));
        exchange.retry_after = (exchange.status == Some(429)).then_some(2);
        let wait = exchange.retry_after.unwrap_or_default();
        let is_answered = exchange.status == Some(200);
        if is_answered {
            exchange.answer = answer.clone();
        }
        self.exchanges.push(exchange);
        if is_answered { Ok(answer) } else { Err(wait) }
    }

    fn pass(&mut self, milliseconds: u64) {
        self.now += Duration::from_millis(milliseconds);
    }

    fn below(&mut self, bound: u64) -> u64 {
        below(&mut self.draws, bound)
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

    fn call(&mut self, method: &str, params: Value, result: Value) -> Step<Value> {
        let body = json!({ "id": 1, "method": method, "params": params }).to_string();
        let asked = Asked::read(Part::Node(CHAIN), "POST", "/", &HeaderMap::new(), body.as_bytes());
        self.pass(4);
        let answered = self.ask(asked, json!({ "id": 1, "result": result }));
        self.pass(4);
        answered.map_err(|_| GaveUp)
    }

    /// Signs and sends once; whatever the answer, looks for the receipt.
    fn send(&mut self, to: Address, call: &impl SolCall, value: u64) -> Step {
        if self.call("eth_chainId", json!([]), json!("0xdef1"))?["result"] != "0xdef1" {
            return Err(GaveUp);
        }
        let transaction = TxEip1559 {
            chain_id: CHAIN,
            nonce: self.nonce,
            to: TxKind::Call(to),
            input: call.abi_encode().into(),
            value: U256::from(value),
            ..TxEip1559::default()
        };
        self.nonce += 1;
        let signature = self.signer.sign_hash_sync(&transaction.signature_hash()).unwrap();
        let signed = transaction.into_signed(signature);
        let hash = json!(signed.hash());
        let raw = json!([Bytes::from(signed.encoded_2718())]);
        let sent = self.call("eth_sendRawTransaction", raw, hash.clone());
        if sent.is_err() && self.below(4) == 0 {
            return Err(GaveUp);
        }
        if self.fault.act == Act::Delay {
            self.pass(3_000);
        }
        let receipt = json!({ "transactionHash": hash, "status": "0x1" });
        self.call("eth_getTransactionReceipt", json!([hash]), receipt).map(drop)
    }

    fn launch(&mut self, number: u64) -> Step {
        let capabilities = json!({
            "chainId": CHAIN,
            "flags": { "create": self.fault.act != Act::Pause },
            "activeCreationDeployment": { "status": "active" },
        });
        let answer = self.read(Part::Rest, "/api/capabilities?chainId=57073", capabilities)?;
        if answer["flags"]["create"] != true {
            return Ok(());
        }
        let params = CreateLaunchParams { name: format!("Token {number}"), ..CreateLaunchParams::default() };
        self.send(HOOK, &createLaunchCall { params }, 0)
    }

    /// Makes the same purchase several times.
    fn buy(&mut self) -> Step {
        let (launch, least) = (U256::from(self.below(3)), U256::from(1 + self.below(9)));
        for _ in 0..=self.below(3) {
            let auth = CaptchaAuth { deadline: 0, nonce: B256::ZERO, signature: Bytes::new() };
            self.send(HOOK, &buyCall { launchId: launch, minTokensOut: least, auth }, 1_000)?;
        }
        Ok(())
    }

    fn approve(&mut self) -> Step {
        let held = U256::from(u128::MAX >> self.below(40)) - U256::from(self.below(1_000));
        let token = Address::repeat_byte(9);
        self.call("eth_call", json!([{ "to": token }]), json!(B256::from(held)))?;
        for amount in [U256::ZERO, held] {
            self.send(token, &IERC20::approveCall { spender: HOOK, amount }, 0)?;
        }
        Ok(())
    }

    /// Trades a quoted swap in one of the possible ways.
    fn swap(&mut self) -> Step {
        let (to, value) = (Address::repeat_byte(4), 10_u64.pow(16));
        let call = Router::swapExactETHForTokensCall {
            amountOutMin: U256::from(5_000 + self.below(3)),
            path: vec![to, HOOK],
            to: self.signer.address(),
            deadline: U256::from(self.now.as_secs() + 600),
        };
        let data = Bytes::from(call.abi_encode());
        let quote = json!({ "transaction": { "to": to, "data": data, "value": value.to_string() } });
        self.read(Part::Swap, "/api/quote?amount=1", quote)?;
        let transaction = json!({ "to": to, "input": data });
        let (method, params) = match self.below(3) {
            0 => ("eth_call", json!([transaction, "latest"])),
            1 => ("eth_estimateGas", json!([transaction])),
            _ => ("eth_simulateV1", json!([{ "blockStateCalls": [{ "calls": [transaction] }] }, "latest"])),
        };
        self.call(method, params, json!("0x"))?;
        self.send(to, &call, value)
    }

    /// Uploads pictures of several wallets at once, each with its own captcha token.
    fn upload(&mut self) -> Step {
        for wallet in 0..=self.below(3) {
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
        let targets: Vec<_> = (0..=self.below(5))
            .map(|_| (Part::Rest, format!("/api/token?address=0x{}", self.below(3)), json!({})))
            .collect();
        self.read_together(&targets).map(drop)
    }

    fn walk(&mut self) -> Step {
        let (mut page, mut pages) = (1, 1);
        while page <= pages {
            let list = json!({ "totalPages": PAGES });
            let answer = self.read(Part::Rest, &format!("/api/tokens?page={page}"), list)?;
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

fn below(draws: &mut Choices, bound: u64) -> u64 {
    draws.index(usize::try_from(bound).unwrap()) as u64
}

#[test]
fn generated_innocent_programs_break_no_rule() {
    let canaries = &Canaries::new(1, "");
    for seed in 0..PROGRAMS {
        let mut draws = Choices::new(seed, "program");
        let steps: Vec<u64> = (0..=below(&mut draws, 6)).map(|_| below(&mut draws, 7)).collect();
        let faults = Fault::of_rehearsal(false);
        let undisturbed = World::new(faults[0], seed).run(&steps);
        for fault in faults {
            let exchanges = &World::new(fault, seed).run(&steps);
            let undisturbed = (fault.act != Act::Nothing).then_some(&*undisturbed);
            let case = Case { fault, exchanges, undisturbed, canaries, timed_out: false };
            let findings = rules::judge(&RULES, &case);
            assert!(findings.is_empty(), "program {seed} {steps:?}: {findings:#?}");
        }
    }
}
