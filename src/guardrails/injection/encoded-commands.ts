const commands = /ignore|bypass|override|reveal|system|prompt/i;
const base64 = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
const hex = /(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{12,}(?![0-9A-Za-z])/g;
const hexPairs = /(?<![0-9A-Za-z])[0-9A-Fa-f]{2}(?:[ \t]+[0-9A-Fa-f]{2}){5,}(?![0-9A-Za-z])/g;
/** Of the characters of decoded text, how many must be printable. */
const printableShare = 0.9;

/** The names of encodings in which a text hides a command: `base64_encoded_injection`, `hex_encoded_injection`. */
export function findEncodedCommands(text: string): readonly string[] {
  const names: string[] = [];
  if (hides(text, base64, (run) => Buffer.from(run, 'base64'))) names.push('base64_encoded_injection');
  if (hides(text, hex, fromHex) || hides(text, hexPairs, fromHex)) names.push('hex_encoded_injection');
  return names;
}

function hides(text: string, runs: RegExp, decode: (run: string) => Buffer): boolean {
  for (const [run] of text.matchAll(runs)) {
    const decoded = decode(run).toString('utf8');
    if (commands.test(decoded) && isPrintable(decoded)) return true;
  }
  return false;
}

function fromHex(run: string): Buffer {
  return Buffer.from(run.replace(/^0x|\s/g, ''), 'hex');
}

function isPrintable(decoded: string): boolean {
  let printable = 0;
  for (const character of decoded) {
    if (character >= ' ' && character !== '\u007f' && character !== '\ufffd') printable += 1;
    else if (character === '\n' || character === '\t' || character === '\r') printable += 1;
  }
  return printable >= decoded.length * printableShare;
}
