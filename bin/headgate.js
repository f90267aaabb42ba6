#!/usr/bin/env node
const oldest = 24;
if (Number(process.versions.node.split('.')[0]) < oldest) {
  process.stderr.write(`headgate needs Node.js ${oldest} or newer; this is ${process.version}.\n`);
  process.exit(1);
}
await import('../dist/main.js');
