import { randomBytes } from 'node:crypto';

const alphabet = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789');
const poolSize = 4096;
const idLength = 22;

const scratch = Buffer.alloc(64);
let pool = Buffer.alloc(0);
let position = 0;

/** Prefixes of every id that the gateway creates (docs/spec/answers.md#ids, docs/spec/accounts.md#accounts). */
export type IdPrefix =
  | 'resp_'
  | 'msg_'
  | 'rs_'
  | 'fc_'
  | 'ctc_'
  | 'ws_'
  | 'fs_'
  | 'ig_'
  | 'ci_'
  | 'apc_'
  | 'sh_'
  | 'sho_'
  | 'cu_'
  | 'mcp_'
  | 'mcpl_'
  | 'mcpr_'
  | 'st_'
  | 'wf_'
  | 'dt_'
  | 'sm_'
  | 'fl_'
  | 'ts_'
  | 'shc_'
  | 'bash_'
  | 'cmp_'
  | 'call_'
  | 'toolu_'
  | 'srvtoolu_hg'
  | 'srvtoolu_hs'
  | 'user_'
  | 'org_'
  | 'aud_'
  | 'evt_'
  | 'job_'
  | 'proc_'
  | 'file_hg_';

/** Creates an unguessable id: the prefix and 22 letters or digits (about 131 random bits). */
export function createId(prefix: IdPrefix): string {
  return withRandomText(prefix);
}

/**
 * Creates a generation id, `gen-<unix seconds>-<random>`. The time comes first so that rows of the same time are
 * adjacent in an index.
 * @param now Unix time in milliseconds.
 */
export function createGenerationId(now: number): string {
  return withRandomText(`gen-${Math.floor(now / 1000)}-`);
}

/** The text is created flat: a concatenation would be flattened again by everybody who writes it. */
function withRandomText(prefix: string): string {
  let end = scratch.write(prefix, 'latin1');
  const length = end + idLength;
  while (end < length) {
    if (position >= pool.length) {
      pool = randomBytes(poolSize);
      position = 0;
    }
    const index = (pool[position++] ?? 0) & 63;
    // 62 and 63 are drawn again, because mapping them would make two characters more likely.
    if (index < alphabet.length) scratch[end++] = alphabet[index] ?? 0;
  }
  return scratch.toString('latin1', 0, length);
}
