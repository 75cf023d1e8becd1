// Sends the quoted calls through the connected wallet, or through the chain's own node for the funded account that was chosen, and shows
// what that account has; it holds no key.
"use strict";
(() => {
  const form = document.getElementById("order");
  const outcome = document.getElementById("outcome");
  const button = form.querySelector("button");
  const balances = document.getElementById("balances");
  const steps = document.getElementById("steps");
  // Milliseconds after which an answer is late, after which it is given up, and until the next question.
  const [LATE, NEVER, AGAIN] = [1000, 5000, 1000];
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
  function tell(...parts) {
    const next = document.createElement("p");
    next.append(...parts);
    if (next.innerHTML !== balances.innerHTML) balances.replaceChildren(...next.childNodes);
  }

  // The questions that the sentence shown is about: of another account, or of none yet, it would be wrong.
  let shown;
  let asking = false;
  let again = false;
  let retry;

  async function answers(node, questions) {
    const signal = AbortSignal.timeout(NEVER);
    const results = questions.map(({ method, params }) => rpc(node, method, params, signal));
    return (await Promise.all(results)).map(BigInt);
  }

  async function ask(node, text) {
    const late = setTimeout(() => tell("The node has not answered yet what the account has."), LATE);
    try {
      const questions = JSON.parse(text);
      const [quote, tokens] = (await answers(node, questions)).map((units, place) => slipway.amount(questions[place], units));
      if (text === shown) tell("The account has ", ...quote, " and ", ...tokens, ".");
    } catch (error) {
      // A late answer that never came was named when it was late.
      const isNamed = error.name === "TimeoutError";
      if (text === shown && !isNamed) tell(`The balances of the account are not known: ${error.message}.`);
      retry = setTimeout(() => document.visibilityState === "visible" && follow(), AGAIN);
    }
    clearTimeout(late);
  }

  // Asks one question after the other, so that no answer comes after a newer one; and once more after what came meanwhile.
  async function follow() {
    const asked = () => document.getElementById("quote").dataset;
    if (asked().balances !== shown) {
      shown = asked().balances;
      tell(shown ? "Asking the node what the account has…" : "");
    }
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
    button.disabled = true;
    let hash;
    try {
      hash = await send();
    } catch (error) {
      say(`Not traded: ${error.message}`);
    }
    // The next trade does not wait until the table shows this one: Enter does nothing while the button is disabled.
    button.disabled = false;
    follow();
    if (!hash) return;
    const now = step("now", "Waiting for the index");
    if (await isListed(hash)) now("done", ": in the table of trades");
  });
})();
