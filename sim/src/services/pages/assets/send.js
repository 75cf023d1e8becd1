// Sends the call that the page has prepared for its form, and shows each step; it holds no key.
"use strict";
(() => {
  // An approval comes before what it permits.
  const MOST = 2;
  const { pause, sent, link } = slipway.node;
  const form = document.getElementById("order");
  const button = form.querySelector("[type=submit]");
  const outcome = document.getElementById("outcome");
  const steps = document.getElementById("steps");
  const prepared = () => document.getElementById("quote").dataset;

  let busy = false;

  // Without a call there is nothing to send.
  function judge() {
    button.disabled = busy || prepared().call === undefined;
  }
  judge();
  document.addEventListener("refreshed", judge);

  async function sendAll() {
    for (let turn = 0; turn < MOST; turn += 1) {
      await slipway.ask(form);
      const asked = { ...prepared() };
      if (!asked.call) throw new Error("the page says why");
      await slipway.wallet?.ready();
      const hash = await sent(asked.node, JSON.parse(asked.call), asked.name.toLowerCase());
      if (asked.more === undefined) return { done: asked.done, hash };
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
    busy = true;
    judge();
    steps.replaceChildren();
    outcome.replaceChildren();
    try {
      const { done, hash } = await sendAll();
      outcome.replaceChildren(`${done}: `, link(hash));
      lead(hash);
    } catch (error) {
      outcome.replaceChildren(`Not done: ${error.message}`);
    }
    busy = false;
    judge();
    slipway.refresh().catch(() => {});
  });
})();
