// Sends the call that the page has prepared for its form, and shows each step; it holds no key.
"use strict";
(() => {
  // An approval comes before what it permits.
  const MOST = 2;
  const { mined, send, link, step } = slipway.node;
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

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    steps.replaceChildren();
    outcome.replaceChildren();
    try {
      outcome.replaceChildren("Done: ", link(await sendAll()));
    } catch (error) {
      outcome.replaceChildren(`Not done: ${error.message}`);
    }
    button.disabled = false;
    slipway.refresh().catch(() => {});
  });
})();
