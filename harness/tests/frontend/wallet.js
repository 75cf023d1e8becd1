// A wallet as an extension puts it into a page: it announces itself (EIP-6963), knows no chain but mainnet, and is asked as EIP-1193 says.
(() => {
  const chains = new Map()
  const asked = (window.askedOfTheWallet = [])
  let current = '0x1'
  const fail = (code, message) => Promise.reject(Object.assign(new Error(message), { code }))
  async function request({ method, params = [] }) {
    asked.push(method)
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [ACCOUNT]
      case 'eth_chainId':
        return current
      case 'wallet_addEthereumChain':
        for (const name of ['chainName', 'nativeCurrency']) if (!params[0][name]) return fail(-32602, `${name} is missing`)
        chains.set(params[0].chainId, params[0].rpcUrls[0])
        // As wallets do, and wagmi relies on it.
        current = params[0].chainId
        return null
      case 'wallet_switchEthereumChain':
        if (!chains.has(params[0].chainId)) return fail(4902, 'Unrecognized chain ID')
        current = params[0].chainId
        return null
      default: {
        if (!chains.has(current)) return fail(4901, 'not connected to the chain')
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
        const headers = { 'content-type': 'application/json' }
        const { result, error } = await (await fetch(chains.get(current), { method: 'POST', headers, body })).json()
        return error ? fail(error.code, error.message) : result
      }
    }
  }
  const info = { uuid: '9b3f2a44-6f0c-4a53-8e8e-2d5cf1f7c0de', name: 'Scripted', icon: 'data:image/svg+xml,<svg/>', rdns: 'example.scripted' }
  const provider = { request, on() {}, removeListener() {} }
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
})()
