// Calls of a chain's node, and the steps of what a form sends.
"use strict";
(() => {
  const steps = document.getElementById("steps");
  let number = 0;

  async function rpc(node, method, params, signal) {
    number += 1;
    const response = await fetch(node, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: number, method, params }),
      signal,
    }).catch((error) => {
      // What a browser says of a connection that is refused names neither the node nor the cause.
      throw error instanceof TypeError ? new Error("the node does not answer") : error;
    });
    const answer = await response.json();
    // Beyond this machine, nodes send for an account only where the control token is shown, which a page does not have.
    if (answer.error?.code === -32601) throw new Error("the node takes signed transactions only");
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

  // Sends a call through the connected wallet, or else from the funded account in it.
  const send = (node, call) => (slipway.wallet ? slipway.wallet.send(call) : rpc(node, "eth_sendTransaction", [call]));

  function link(hash) {
    const made = document.createElement("a");
    made.href = `/tx/${hash}`;
    made.textContent = `${hash.slice(0, 6)}…${hash.slice(-4)}`;
    return made;
  }

  // A step as it happens; `now` while it is under way, then `done` or `failed`.
  function step(state, ...text) {
    const item = document.createElement("li");
    const tell = (next, ...words) => {
      item.className = next;
      item.replaceChildren(...words);
    };
    tell(state, ...text);
    steps.append(item);
    return tell;
  }

  // Sends one call and shows its way into a block; resolves to its hash. A revert is an error that has the hash.
  async function sent(node, call, name) {
    const now = step("now", `Sending the ${name}`);
    let hash;
    try {
      hash = await send(node, call);
      now("now", `The ${name} is sent: `, link(hash));
      const { status, blockNumber } = await mined(node, hash);
      if (status !== "0x1") throw Object.assign(new Error("it reverted"), { hash });
      now("done", `The ${name} is in block ${Number(blockNumber)}: `, link(hash));
      return hash;
    } catch (error) {
      now("failed", `The ${name} failed`, ...(hash ? [": ", link(hash)] : []));
      throw error;
    }
  }

  slipway.node = { rpc, pause, sent, link, step };
})();
