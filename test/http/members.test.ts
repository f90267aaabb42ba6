import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRawKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { callApi } from '../support/call-api.ts';
import { startGateway } from '../support/gateway.ts';

test('members of an organization are listed, and join and leave workspaces', async () => {
  const gateway = await startGateway({ models: [] });
  try {
    const { storage } = gateway;
    const owner = newAccount('Acme', 'invoice', 1, 'organization');
    await storage.accounts.create(owner);
    const management = createRawKey();
    const place = { accountId: owner.id, workspaceId: null, createdAt: 1 };
    await storage.keys.create(newKey(management, { ...place, kind: 'management', name: 'ops' }));
    const person = { accountId: owner.id, firstName: 'Jane', lastName: null, createdAt: 1 };
    for (const [userId, role] of [
      ['user_jane', 'org:admin'],
      ['user_joe', 'org:member'],
    ] as const) {
      await storage.members.add({ ...person, userId, email: `${userId}@acme.example`, role });
    }
    const ask = (method: string, path: string, body?: object) =>
      callApi(gateway, management, method, path, body);
    const { body: all } = await ask('GET', '/organization/members?limit=1');
    assert.deepEqual(all, {
      data: [
        {
          id: 'user_jane',
          email: 'user_jane@acme.example',
          first_name: 'Jane',
          last_name: null,
          role: 'org:admin',
        },
      ],
      total_count: 2,
    });
    await ask('POST', '/workspaces', { name: 'Lab', slug: 'lab' });
    const add = (user_ids: string[]) => ask('POST', '/workspaces/lab/members/add', { user_ids });
    const { body: added } = await add(['user_jane', 'user_jane']);
    assert.deepEqual(
      [added.added_count, added.data[0].user_id, added.data[0].role],
      [1, 'user_jane', 'admin'],
    );
    assert.equal((await add(['user_jane'])).body.added_count, 0);
    assert.equal((await add(['user_nobody'])).status, 400);
    assert.equal((await add([])).status, 400);
    assert.equal((await ask('GET', '/workspaces/lab/members')).body.total_count, 1);
    const everyone = await ask('GET', `/workspaces/${owner.defaultWorkspaceId}/members`);
    assert.equal(everyone.body.total_count, 2, 'all are in the default workspace');
    const { body: lab } = await ask('GET', '/workspaces/lab');
    const key = await ask('POST', '/keys', {
      name: 'k',
      workspace_id: lab.data.id,
      creator_user_id: 'user_jane',
    });
    const remove = () => ask('POST', '/workspaces/lab/members/remove', { user_ids: ['user_jane'] });
    assert.equal((await remove()).status, 400, 'she has a working key there');
    await ask('DELETE', `/keys/${key.body.data.hash}`);
    assert.deepEqual((await remove()).body, { removed_count: 1 });
    assert.equal((await ask('GET', '/workspaces/none/members')).status, 404);
    assert.equal((await callApi(gateway, gateway.key, 'GET', '/organization/members')).status, 403);
  } finally {
    await gateway.stop();
  }
});
