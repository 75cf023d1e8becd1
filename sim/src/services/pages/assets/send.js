// Sends the call that the page has prepared for its form, and shows each step; it holds no key.
"use strict";
(() => {
  // An approval comes before what it permits.
  const MOST = 2;
  const { mined, pause, send, link, step } = slipway.node;
  const form = document.getElementById("order");
  const button = form.querySelector("[type=submit]");
  const outcome = document.getElementById("outcome");
  const steps = document.getElementById("steps");
  const prepared = () => document.getElementById("quote").dataset;

  // Resolves to the hash of a transaction that succeeded.
  async function sent({ node, call, name }) {
    const now = step("now", `${name}: sending`);
    try {
      const hash = await send(node, JSON.parse(call));
      now("now", ", sent as ", link(hash));
      const { status, blockNumber } = await mined(node, hash);
      if (status !== "0x1") throw new Error("reverted");
      now("done", `, in block ${Number(blockNumber)}`);
      return hash;
    } catch (error) {
      now("failed", ", failed");
      throw error;
    }
  }

  async function sendAll() {
    for (let turn = 0; turn < MOST; turn += 1) {
      await slipway.ask(form);
      const asked = { ...prepared() };
      if (!asked.call) throw new Error("the page says why");
      await slipway.wallet?.ready();
      const hash = await sent(asked);
      if (asked.more === undefined) return hash;
    }
    throw new Error("the approval does not suffice");
  }

  // What the transaction made, such as a token, has a page once the platform has indexed it.
  async function lead(hash) {
    if (!document.querySelector("[data-leads]")) return;
    for (let tries = 0; tries < 100; tries += 1) {
      const found = document.querySelector(`[data-leads] [data-transaction="${hash}"] a`);
      if (found) {
        const made = document.createElement("a");
        made.href = found.href;
        made.append(`Open the page of ${found.querySelector("bdi").textContent}`);
        outcome.append(". ", made);
        return;
      }
      await pause(100);
    }
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    steps.replaceChildren();
    outcome.replaceChildren();
    try {
      const hash = await sendAll();
      outcome.replaceChildren("Done: ", link(hash));
      lead(hash);
    } catch (error) {
      outcome.replaceChildren(`Not done: ${error.message}`);
    }
    button.disabled = false;
    slipway.refresh().catch(() => {});
  });
})();
