// Sends the quoted calls through the chain's own node for the funded account that was chosen; it holds no key.
"use strict";
(() => {
  const form = document.getElementById("order");
  const outcome = document.getElementById("outcome");
  const button = form.querySelector("button");
  let number = 0;

  async function rpc(node, method, params) {
    number += 1;
    const response = await fetch(node, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: number, method, params }),
    });
    const answer = await response.json();
    if (answer.error) throw new Error(answer.error.message);
    return answer.result;
  }

  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

  async function mined(node, hash) {
    for (let tries = 0; tries < 100; tries += 1) {
      const receipt = await rpc(node, "eth_getTransactionReceipt", [hash]);
      if (receipt) return receipt;
      await pause(100);
    }
    throw new Error("the transaction is not mined yet");
  }

  function say(text, hash) {
    outcome.replaceChildren(text);
    if (!hash) return;
    const link = document.createElement("a");
    link.href = `/tx/${hash}`;
    link.textContent = hash.slice(0, 10);
    outcome.append(" ", link);
  }

  async function send() {
    await slipway.ask(form);
    const { calls, node, account } = document.getElementById("quote").dataset;
    if (!calls) {
      say("Nothing was sent: the quote says why.");
      return;
    }
    say("Sending…");
    await rpc(node, "anvil_impersonateAccount", [account]);
    let hash;
    for (const call of JSON.parse(calls)) {
      hash = await rpc(node, "eth_sendTransaction", [call]);
      const { status } = await mined(node, hash);
      if (status !== "0x1") {
        say("Reverted:", hash);
        return;
      }
    }
    say("Traded:", hash);
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    try {
      await send();
    } catch (error) {
      say(`Not traded: ${error.message}`);
    }
    button.disabled = false;
  });
})();
