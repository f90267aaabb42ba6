import { type IncomingHttpHeaders, request } from 'node:http';

/** Asks for an address and returns the bytes as they came, without decoding. */
export function rawRequest(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(pieces) });
      });
    })
      .on('error', reject)
      .end();
  });
}
