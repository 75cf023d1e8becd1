// Sends the quoted calls through the connected wallet, or through the chain's own node for the funded account that was chosen, and shows
// what that account has; it holds no key.
"use strict";
(() => {
  const form = document.getElementById("order");
  const outcome = document.getElementById("outcome");
  const button = document.getElementById("send");
  const short = document.getElementById("short");
  const balances = document.getElementById("balances");
  const steps = document.getElementById("steps");
  // Milliseconds after which an answer is late, after which it is given up, and until the next question.
  const [LATE, NEVER, AGAIN] = [1000, 5000, 1000];
  // Kept for the gas of the transactions when everything is paid: 0.01 of the native coin.
  const GAS = 10n ** 16n;
  const { rpc, pause, mined, send: pass, link, step } = slipway.node;

  function say(text, hash) {
    outcome.replaceChildren(text);
    if (hash) outcome.append(" ", link(hash));
  }

  // Waits until the page shows the trade; a page whose events are late goes on without.
  async function isListed(hash) {
    for (let tries = 0; tries < 50; tries += 1) {
      if (document.querySelector(`#trades [data-transaction="${hash}"]`)) return true;
      await pause(100);
    }
    return false;
  }

  // What is said already is not said again: it would be read aloud again.
  function put(place, ...parts) {
    const next = document.createElement("p");
    next.append(...parts);
    if (next.innerHTML !== place.innerHTML) place.replaceChildren(...next.childNodes);
  }
  const tell = (...parts) => put(balances, ...parts);

  // The questions that the sentence shown is about: of another account, or of none yet, it would be wrong.
  let shown;
  let asking = false;
  let again = false;
  let retry;

  // What the account has, in the order of the questions, and of which questions these are the answers.
  let held = { text: "", units: [] };
  let busy = false;

  // A trade that the account cannot pay is refused before the click.
  function judge() {
    const { offer, paid, balances: text } = document.getElementById("quote").dataset;
    const has = held.text === text ? held.units[paid] : undefined;
    const isShort = offer !== undefined && has !== undefined && BigInt(offer) > has;
    put(short, ...(isShort ? ["The account has only ", ...slipway.amount(JSON.parse(text)[paid], has), "."] : []));
    button.disabled = busy || isShort;
  }

  // Fills in an amount of a button: of the coin, or a part of what the account has.
  function fill({ amount, part }) {
    const { balances: text, paid } = document.getElementById("quote").dataset;
    const field = form.elements.amount;
    if (amount !== undefined) {
      field.value = amount;
    } else {
      if (held.text !== text) return;
      const { method, decimals } = JSON.parse(text)[paid];
      const kept = part === "100" && method === "eth_getBalance" ? GAS : 0n;
      const units = (held.units[paid] * BigInt(part)) / 100n - kept;
      field.value = units > 0n ? slipway.exact(units, decimals) : "0";
    }
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  form.addEventListener("click", ({ target }) => {
    if (target.matches("[data-amount], [data-part]")) fill(target.dataset);
  });

  // The bar of a phone chooses the side and leads to the field.
  document.querySelector("nav.deal").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-side]");
    if (!link) return;
    event.preventDefault();
    form.elements.side.value = link.dataset.side;
    form.dispatchEvent(new Event("input", { bubbles: true }));
    form.scrollIntoView({ block: "start" });
    form.elements.amount.focus({ preventScroll: true });
  });

  async function answers(node, questions) {
    const signal = AbortSignal.timeout(NEVER);
    const results = questions.map(({ method, params }) => rpc(node, method, params, signal));
    return (await Promise.all(results)).map(BigInt);
  }

  async function ask(node, text) {
    const late = setTimeout(() => tell("The node has not answered yet what the account has."), LATE);
    try {
      const questions = JSON.parse(text);
      const units = await answers(node, questions);
      const [quote, tokens] = units.map((one, place) => slipway.amount(questions[place], one));
      if (text === shown) {
        held = { text, units };
        tell("The account has ", ...quote, " and ", ...tokens, ".");
      }
    } catch (error) {
      // A late answer that never came was named when it was late.
      const isNamed = error.name === "TimeoutError";
      if (text === shown && !isNamed) tell(`The balances of the account are not known: ${error.message}.`);
      retry = setTimeout(() => document.visibilityState === "visible" && follow(), AGAIN);
    }
    clearTimeout(late);
    judge();
  }

  // Asks one question after the other, so that no answer comes after a newer one; and once more after what came meanwhile.
  async function follow() {
    const asked = () => document.getElementById("quote").dataset;
    if (asked().balances !== shown) {
      shown = asked().balances;
      tell(shown ? "Asking the node what the account has…" : "");
    }
    judge();
    again = true;
    if (asking) return;
    asking = true;
    while (again && shown) {
      again = false;
      clearTimeout(retry);
      await ask(asked().node, shown);
    }
    asking = false;
  }
  follow();
  document.addEventListener("refreshed", follow);

  // Answers the hash of the trade, if there was one.
  async function send() {
    steps.replaceChildren();
    say("");
    await slipway.ask(form);
    const { calls, node } = document.getElementById("quote").dataset;
    if (!calls) {
      say("Nothing was sent: the quote says why.");
      return undefined;
    }
    step("done", "Quoted by the contract");
    await slipway.wallet?.ready();
    const all = JSON.parse(calls);
    let hash;
    for (const [place, call] of all.entries()) {
      const name = place < all.length - 1 ? "Approval" : "Trade";
      const now = step("now", `${name} ${place + 1} of ${all.length}: sending`);
      try {
        hash = await pass(node, call);
        now("now", ", sent as ", link(hash));
        const { status, blockNumber } = await mined(node, hash);
        if (status !== "0x1") {
          now("failed", ", reverted");
          say("Reverted:", hash);
          return undefined;
        }
        now("done", `, in block ${Number(blockNumber)}`);
      } catch (error) {
        now("failed", ", failed");
        throw error;
      }
    }
    say("Traded:", hash);
    return hash;
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    busy = true;
    judge();
    let hash;
    try {
      hash = await send();
    } catch (error) {
      say(`Not traded: ${error.message}`);
    }
    // The next trade does not wait until the table shows this one: Enter does nothing while the button is disabled.
    busy = false;
    judge();
    follow();
    if (!hash) return;
    const now = step("now", "Waiting for the index");
    if (await isListed(hash)) now("done", ": in the table of trades");
  });
})();
