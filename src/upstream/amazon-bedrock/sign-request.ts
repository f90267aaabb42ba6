import type { SignatureV4 } from '@smithy/signature-v4';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { AddressedRequest } from '../adapter.ts';
import { type AccessKey, readCredential, regionOf, regionOfHost } from './credentials.ts';

/** A signer caches derived keys for a day, so each credential keeps one signer. */
const signers = new WeakMap<object, Map<string, Promise<SignatureV4>>>();

/** Headers added by a signature; all others belong to the request. */
const added = ['authorization', 'x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token'] as const;

/**
 * The headers that sign a request with the provider's access key (AWS Signature Version 4); none where an API key is
 * sent instead.
 * @throws HeadgateError `upstream_credential` for a credential of another shape.
 */
export function signRequest(
  request: AddressedRequest,
  { endpoint }: UpstreamCall,
): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
  const { provider } = endpoint;
  const credential = readCredential(provider);
  if (credential?.kind !== 'access key') return {};
  const region = regionOfHost(request.url.host) ?? regionOf(provider, credential);
  return sign(request, signerOf(provider.apiKey ?? provider, credential.key, region));
}

async function sign(
  { url, headers, body }: AddressedRequest,
  signer: Promise<SignatureV4>,
): Promise<Readonly<Record<string, string>>> {
  const signed = await (await signer).sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { ...headers, host: url.host },
    body,
  });
  return Object.fromEntries(
    added.flatMap((name) => (signed.headers[name] === undefined ? [] : [[name, signed.headers[name]]])),
  );
}

function signerOf(owner: object, key: AccessKey, region: string): Promise<SignatureV4> {
  const known = signers.get(owner) ?? new Map<string, Promise<SignatureV4>>();
  signers.set(owner, known);
  const signer = known.get(region) ?? createSigner(key, region);
  known.set(region, signer);
  return signer;
}

/** Loaded at the first signature, because most installations never sign. */
async function createSigner(
  { region: _own, ...credentials }: AccessKey,
  region: string,
): Promise<SignatureV4> {
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@smithy/core/checksum'),
  ]);
  return new SignatureV4({ credentials, region, service: 'bedrock', sha256: Sha256 });
}
