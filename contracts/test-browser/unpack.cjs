// Unpacks the browser of its npm package into the folder `browser` beside `node_modules`, with its libraries and fonts.
const { createReadStream, createWriteStream, mkdirSync, writeFileSync } = require('fs')
const { pipeline } = require('stream/promises')
const { createBrotliDecompress } = require('zlib')
const { extract } = require(`${process.cwd()}/node_modules/tar-fs`)

const from = (name) => createReadStream(`node_modules/@sparticuz/chromium/bin/${name}.br`)
const unpack = (name, to) => pipeline(from(name), createBrotliDecompress(), to)

async function main() {
  mkdirSync('browser')
  await unpack('chromium', createWriteStream('browser/chromium', { mode: 0o755 }))
  for (const name of ['al2023', 'fonts', 'swiftshader']) await unpack(`${name}.tar`, extract('browser'))
  const folders = '<dir prefix="relative">fonts</dir><cachedir prefix="xdg">fontconfig</cachedir>'
  writeFileSync('browser/fonts.conf', `<?xml version="1.0"?><fontconfig>${folders}</fontconfig>\n`)
}

main().catch((error) => {
  console.error(error.message)
  process.exit(1)
})
