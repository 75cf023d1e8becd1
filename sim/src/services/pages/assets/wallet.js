// Wallets of the browser (EIP-6963): each that announces itself can be connected, learn the chain (`wallet_addEthereumChain`) and send the
// quoted trade in the place of a funded account.
"use strict";
(() => {
  const UNKNOWN_CHAIN = 4902;
  const form = document.getElementById("order");
  const chosen = form.elements.wallet;
  const list = document.getElementById("wallets");
  const said = document.getElementById("wallet");
  const chain = { ...JSON.parse(list.dataset.chain), blockExplorerUrls: [location.origin] };
  const found = new Map();

  const short = (account) => `${account.slice(0, 6)}…${account.slice(-4)}`;

  function button(text, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "plain";
    made.textContent = text;
    made.addEventListener("click", () => act().catch((error) => said.replaceChildren(error.message)));
    return made;
  }

  const addNetwork = (provider) => provider.request({ method: "wallet_addEthereumChain", params: [chain] });

  // The wallet on this chain, which it may have to learn first.
  async function onChain(provider) {
    const { chainId } = chain;
    if (BigInt(await provider.request({ method: "eth_chainId" })) === BigInt(chainId)) return;
    const change = () => provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId }] });
    try {
      await change();
    } catch (error) {
      // Some wallets wrap the code of a chain that they do not know.
      if ((error.data?.originalError?.code ?? error.code) !== UNKNOWN_CHAIN) throw error;
      await addNetwork(provider);
      await change();
    }
  }

  // Trades go through the wallet from here on, or through a funded account again when there is no account.
  async function use(name, provider, account) {
    chosen.value = account ?? "";
    form.elements.account.disabled = Boolean(account);
    slipway.wallet = account && {
      ready: () => onChain(provider),
      send: (call) => provider.request({ method: "eth_sendTransaction", params: [call] }),
      sign: (data) => provider.request({ method: "personal_sign", params: [data, account] }),
    };
    said.replaceChildren(account ? `${name} trades with ${short(account)}. ` : "");
    if (account) said.append(button("Use a funded account", () => use(name, provider)));
    await slipway.ask(form);
  }

  async function connect(name, provider) {
    const [account] = await provider.request({ method: "eth_requestAccounts" });
    await onChain(provider);
    await use(name, provider, account);
  }

  // A wallet that was connected before the page was opened again stays connected.
  async function resume(name, provider) {
    if (!chosen.value || slipway.wallet) return;
    const accounts = await provider.request({ method: "eth_accounts" });
    const account = accounts.find((known) => known.toLowerCase() === chosen.value.toLowerCase());
    if (account) await use(name, provider, account);
  }

  window.addEventListener("eip6963:announceProvider", ({ detail: { info, provider } }) => {
    if (found.has(info.uuid)) return;
    found.set(info.uuid, provider);
    const item = document.createElement("li");
    item.append(
      button(`Connect ${info.name}`, () => connect(info.name, provider)),
      " ",
      button(`Add the network to ${info.name}`, async () => {
        await addNetwork(provider);
        said.replaceChildren(`${info.name} knows chain ${BigInt(chain.chainId)}.`);
      }),
    );
    list.append(item);
    provider.on?.("accountsChanged", ([account]) => {
      if (slipway.wallet) use(info.name, provider, account).catch(() => {});
    });
    resume(info.name, provider).catch(() => {});
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));
})();
