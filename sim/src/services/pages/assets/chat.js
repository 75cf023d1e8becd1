// Posts a message of the account in the form: the service gives a captcha with the text to sign, which the connected wallet or the node
// signs.
"use strict";
(() => {
  const form = document.getElementById("say");
  if (!form) return;
  const said = document.getElementById("said");
  const button = form.querySelector("button");
  const field = form.elements.message;

  async function post(path, body) {
    const headers = { "content-type": "application/json" };
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error([answer.error, answer.details].filter(Boolean).join(": "));
    return answer;
  }

  const hex = (text) => `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;

  async function send(message) {
    const { node, account } = document.getElementById("quote").dataset;
    if (!account) throw new Error("there is no account to sign it");
    const tokenAddress = form.dataset.token;
    const { token, text } = await post("/chat/captchas", { tokenAddress, message });
    const sign = slipway.wallet?.sign ?? ((data) => slipway.node.rpc(node, "personal_sign", [data, account]));
    const signature = await sign(hex(text));
    await post("/chat/messages", { token, tokenAddress, message, signature, senderAddress: account });
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    said.replaceChildren("Signing…");
    try {
      await send(field.value);
      field.value = "";
      said.replaceChildren("Sent.");
      await slipway.refresh();
    } catch (error) {
      said.replaceChildren(`Not sent: ${error.message}`);
    }
    button.disabled = false;
  });
})();
