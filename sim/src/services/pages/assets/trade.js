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
  const { rpc, pause, sent, link, step } = slipway.node;

  function say(text, hash) {
    outcome.replaceChildren(text);
    if (hash) outcome.append(" ", link(hash));
  }

  // Waits for the trade's row; a page whose events are late goes on without.
  async function listed(hash) {
    for (let tries = 0; tries < 50; tries += 1) {
      const sides = document.querySelectorAll(`#trades [data-transaction="${hash}"] :is(.buy, .sell)`);
      if (sides.length) return sides[0].closest("tr");
      await pause(100);
    }
    return null;
  }

  // What was paid and got, as the row of the mined trade says it.
  function told(row) {
    const [quote, tokens] = row.querySelectorAll("td.n data");
    const [ofQuote, ofTokens] = document.querySelectorAll("#trades thead th.n");
    const done = row.querySelector(".sell") ? "Sold" : "Bought";
    return `${done} ${tokens.textContent} ${ofTokens.textContent} for ${quote.textContent} ${ofQuote.textContent}:`;
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
    put(short, ...(isShort ? ["The account has only ", ...slipway.balance(JSON.parse(text)[paid], has), "."] : []));
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

  // The bar of a phone is away while the form is on the screen.
  const bar = document.querySelector("nav.deal");
  new IntersectionObserver(([{ isIntersecting }]) => bar.classList.toggle("away", isIntersecting)).observe(form);

  // It chooses the side and leads to the field.
  bar.addEventListener("click", (event) => {
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
      const [quote, tokens] = units.map((one, place) => slipway.balance(questions[place], one));
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
      hash = await sent(node, call, place < all.length - 1 ? "approval" : "trade");
    }
    say("Traded:", hash);
    // What would be quoted from here on is another trade.
    form.elements.amount.value = "";
    await slipway.ask(form);
    return hash;
  }

  let trades = 0;

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    busy = true;
    judge();
    trades += 1;
    const trade = trades;
    let hash;
    try {
      hash = await send();
    } catch (error) {
      say(`Not traded: ${error.message}`, error.hash);
    }
    // The next trade does not wait until the table shows this one: Enter does nothing while the button is disabled.
    busy = false;
    judge();
    follow();
    if (!hash) return;
    const now = step("now", "Waiting until the platform shows it");
    const row = await listed(hash);
    if (!row) return;
    now("done", "Listed under Trades");
    if (trade === trades) say(told(row), hash);
  });
})();
