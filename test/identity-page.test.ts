import { deepEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { permissions, type Reach, reachOf, roles } from '../src/core/roles.ts';
import { interfaceRows } from '../src/interface/routes.ts';

const words: Readonly<Record<Reach, string>> = {
  write: 'W',
  read: 'R',
  'write own': 'W own',
  'read own': 'R own',
  none: '–',
};

test('docs/spec/identity.md lists every permission with its operations and what each role may do', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/spec/identity.md'), 'utf8');
  const [, section = ''] = page.split('## Permissions');
  const listed = section.split('\n').filter((line) => line.startsWith('| `'));
  const rows = permissions.map((permission) => {
    const ids = interfaceRows.filter(({ needs }) => needs === permission).map(({ id }) => `\`${id}\``);
    const reaches = roles.map((role) => words[reachOf(role, permission)]);
    return `| ${[`\`${permission}\``, ids.join(', '), ...reaches].join(' | ')} |`;
  });
  deepEqual(listed, rows);
});
