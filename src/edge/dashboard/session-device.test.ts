import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadgateError } from '../../core/errors.ts';
import {
  basePath,
  cookieName,
  interfaceRoot,
  isSafeWay,
  requireOwnPage,
  requirePrivateWay,
} from './session-device.ts';

const rules = { trustProxy: false, dashboard: { allowInsecureHttp: false } };

/** A browser that asks for a host at an address of this machine. */
const at = (localAddress: string, host: string, headers: Record<string, string> = {}) => ({
  headers: { host, ...headers },
  socket: { remoteAddress: '192.168.7.2', localPort: 8484, localAddress },
});

const lan = at('192.168.7.7', '192.168.7.7:8484', { origin: 'http://192.168.7.7:8484' });

test('over plain HTTP from another machine no key is taken, unless that is allowed', () => {
  requireOwnPage(lan, rules);
  assert.equal(isSafeWay(lan, rules), false);
  assert.throws(() => requirePrivateWay(lan, rules), HeadgateError);
  requirePrivateWay(lan, { ...rules, dashboard: { allowInsecureHttp: true } });
  requirePrivateWay(at('127.0.0.1', 'localhost:8484'), rules);
  assert.equal(cookieName(lan, rules), 'headgate-8484');
});

test('at a loopback address only names of this machine are served, and the one of the operator', () => {
  for (const host of ['localhost:8484', '127.0.0.1:8484', '127.5.6.7', '[::1]:8484']) {
    requireOwnPage(at('127.0.0.1', host), rules);
  }
  const named = { ...rules, publicUrl: 'https://gate.example:8443/a' };
  requireOwnPage(at('127.0.0.1', 'gate.example:8443'), named);
  for (const host of ['gate.example', 'evil.example:8443']) {
    assert.throws(() => requireOwnPage(at('127.0.0.1', host), named), HeadgateError);
  }
});

test('code to copy names the listener of the interface where the dashboard has its own', () => {
  const root = (port: number | undefined, publicUrl?: string) =>
    interfaceRoot(lan, { ...rules, publicUrl, port: 8080, dashboard: { ...rules.dashboard, port } });
  assert.equal(root(undefined), null);
  assert.equal(root(8484), 'http://192.168.7.7:8080/');
  assert.equal(root(8484, 'https://gate.example/a'), 'https://gate.example/a/');
});

test('a base is only what can stand in an address as it is', () => {
  const trusted = { trustProxy: true };
  const behind = (prefix: string) => at('192.168.7.7', 'gate.lan', { 'x-forwarded-prefix': prefix });
  assert.equal(basePath(behind('/a/b/'), trusted), '/a/b');
  for (const odd of ['a', '/a"', '/a b', '//a', '', '/a, /b'])
    assert.equal(basePath(behind(odd), trusted), '');
  assert.equal(basePath(lan, trusted), '');
  assert.equal(basePath(behind('/a'), rules), '');
  assert.equal(basePath(behind('/a'), { ...trusted, publicUrl: 'https://x.example' }), '');
});

test('host, scheme and prefix of a proxy count only where one that is trusted sent the request', () => {
  const said = {
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-host': 'gate.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-prefix': '/a',
    origin: 'https://gate.example',
  };
  const arrived = at('127.0.0.1', '127.0.0.1:8484', said);
  for (const trustProxy of [true, 1, ['192.168.7.0/24'], ['10.0.0.1', '192.168.7.2']]) {
    const by = { ...rules, trustProxy };
    requireOwnPage(arrived, by);
    requirePrivateWay(arrived, by);
    assert.deepEqual([basePath(arrived, by), cookieName(arrived, by)], ['/a', '__Host-headgate']);
  }
  const { 'x-forwarded-for': _, ...fewer } = said;
  for (const [one, trustProxy] of [
    [arrived, false],
    [arrived, ['192.168.7.3']],
    [arrived, 2],
    [at('127.0.0.1', '127.0.0.1:8484', fewer), 1],
  ] as const) {
    const by = { ...rules, trustProxy };
    assert.throws(() => requireOwnPage(one, by), HeadgateError, 'its origin is not that of the listener');
    assert.deepEqual([basePath(one, by), cookieName(one, by)], ['', 'headgate-8484']);
    const foreign = { ...one, headers: { ...one.headers, host: 'gate.example' } };
    assert.throws(() => requireOwnPage(foreign, by), /server.trust_proxy behind a proxy/);
  }
});
