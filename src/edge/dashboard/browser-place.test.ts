import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadgateError } from '../../core/errors.ts';
import { interfaceRoot, isSafeWay, requireOwnPage, requirePrivateWay } from './browser-place.ts';
import { basePath } from './public-address.ts';
import { cookieName } from './session-cookie.ts';

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
  assert.equal(basePath(trusted, '/a/b/'), '/a/b');
  for (const odd of ['a', '/a"', '/a b', '//a', undefined, ['/a']]) assert.equal(basePath(trusted, odd), '');
  assert.equal(basePath(rules, '/a'), '');
  assert.equal(basePath({ ...trusted, publicUrl: 'https://x.example' }, '/a'), '');
});
