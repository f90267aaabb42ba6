import { join } from 'node:path';
import { runProgram } from '../../test/e2e/support/programs.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

/** An account of test clients. */
export interface TestAccount {
  readonly id: string;
  readonly name: string;
  /** Of its key. */
  readonly rawKey: string;
}

/** Runs a command of Headgate and returns its JSON answer. @throws Error with its output when it failed. */
export async function headgate(
  env: NodeJS.ProcessEnv,
  cwd: string,
  ...args: readonly string[]
): Promise<unknown> {
  const { code, stdout, stderr } = await runProgram(process.execPath, [main, ...args, '--json'], {
    env,
    cwd,
  });
  if (code !== 0) throw new Error(`headgate ${args.join(' ')} ended with ${code}: ${stderr || stdout}`);
  return stdout === '' ? undefined : JSON.parse(stdout);
}

/**
 * The accounts of a run: two by invoice, prepaid ones above and below the balance from which no in-flight budget
 * applies, and one whose money runs out.
 */
const plans = [
  { name: 'invoice', billing: 'invoice', credit: undefined },
  { name: 'another invoice', billing: 'invoice', credit: undefined },
  { name: 'prepaid, rich', billing: 'prepaid', credit: '500' },
  { name: 'prepaid', billing: 'prepaid', credit: '40' },
  { name: 'prepaid, poor', billing: 'prepaid', credit: '0.05' },
] as const;

/** Creates them in an empty database. */
export async function createAccounts(env: NodeJS.ProcessEnv, cwd: string): Promise<readonly TestAccount[]> {
  await headgate(env, cwd, 'db', 'migrate');
  const accounts: TestAccount[] = [];
  for (const { name, billing, credit } of plans) {
    const account = await headgate(env, cwd, 'accounts', 'create', '--name', name, '--billing', billing);
    const id = textAt(account, 'id');
    if (credit !== undefined)
      await headgate(env, cwd, 'credits', 'grant', '--amount', credit, '--account', id);
    const key = await headgate(env, cwd, 'keys', 'create', '--name', name, '--account', id);
    accounts.push({ id, name, rawKey: textAt(key, 'key') });
  }
  return accounts;
}

function textAt(value: unknown, member: string): string {
  const found = typeof value === 'object' && value !== null ? Reflect.get(value, member) : undefined;
  if (typeof found !== 'string') throw new Error(`no ${member} in ${JSON.stringify(value)}`);
  return found;
}
