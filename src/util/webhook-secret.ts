const prefix = 'whsec_';
const leastBytes = 24;
const mostBytes = 64;

/**
 * Reads a secret of webhooks: `whsec_` and 24 to 64 bytes in base64.
 * @throws RangeError with what is wrong with it.
 */
export function readWebhookSecret(text: string): Buffer {
  const encoded = text.slice(prefix.length);
  const bytes = Buffer.from(encoded, 'base64');
  const isBase64 = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  if (!text.startsWith(prefix) || !isBase64 || bytes.length < leastBytes || bytes.length > mostBytes) {
    throw new RangeError('is not whsec_ and 24 to 64 bytes in base64');
  }
  return bytes;
}
