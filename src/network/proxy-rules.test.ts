import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { readProxyAddress } from '../util/proxy-address.ts';
import { proxyFor, readProxyRules } from './proxy-rules.ts';

const rulesOf = (environment: Record<string, string>) => readProxyRules(environment).rules;
const through = (url: string, environment: Record<string, string>) =>
  proxyFor(new URL(url), rulesOf(environment))?.origin;

test('the scheme of the address decides which variable counts; lower case wins', () => {
  const both = { HTTP_PROXY: 'http://plain.example:3128', HTTPS_PROXY: 'secure.example:8443' };
  assert.equal(through('http://a.example/v1', both), 'http://plain.example:3128');
  assert.equal(through('https://a.example/v1', both), 'http://secure.example:8443');
  assert.equal(through('https://a.example/v1', { HTTP_PROXY: 'http://plain.example' }), undefined);
  assert.equal(
    through('https://a.example', { ...both, https_proxy: 'https://lower.example' }),
    'https://lower.example:443',
  );
  assert.equal(through('https://a.example', { HTTPS_PROXY: '' }), undefined, 'empty is not set');
});

test('entries of NO_PROXY are hosts and what is below them, addresses, networks, ports, or all', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['corp.example', 'https://corp.example/', true],
    ['corp.example', 'https://api.corp.example/', true],
    ['.corp.example', 'https://api.corp.example/', true],
    ['*.corp.example', 'https://api.corp.example/', true],
    ['CORP.example', 'https://api.Corp.Example./', true],
    ['corp.example', 'https://notcorp.example/', false],
    ['corp.example:8443', 'https://corp.example:8443/', true],
    ['corp.example:8443', 'https://corp.example/', false],
    ['corp.example:443', 'https://corp.example/', true],
    ['10.0.0.0/8', 'http://10.1.2.3:9000/', true],
    ['10.0.0.0/8', 'http://11.1.2.3:9000/', false],
    ['10.1.2.3:9000', 'http://10.1.2.3:9000/', true],
    ['fd00::/8', 'http://[fd00::1]/', true],
    ['[fd00::1]:80', 'http://[fd00::1]/', true],
    ['fd00::1', 'http://[fd00::1]/', true],
    ['a.example, b.example c.example', 'https://c.example/', true],
    ['*', 'https://any.example/', true],
    ['', 'https://any.example/', false],
  ];
  for (const [entry, url, isDirect] of cases) {
    const proxies = { HTTP_PROXY: 'http://p.example:1', HTTPS_PROXY: 'http://p.example:1', NO_PROXY: entry };
    assert.equal(through(url, proxies) === undefined, isDirect, `${entry} ${url}`);
  }
});

test('this machine is never reached through a proxy, whoever names it', () => {
  const proxies = { HTTP_PROXY: 'http://p.example:1', HTTPS_PROXY: 'http://p.example:1' };
  const own = readProxyAddress('http://own.example:1');
  for (const host of [
    'localhost',
    'LOCALHOST.',
    'x.localhost',
    '127.0.0.1',
    '127.8.8.8',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ]) {
    assert.equal(through(`http://${host}:11434/v1`, proxies), undefined, host);
    assert.equal(proxyFor(new URL(`http://${host}/`), rulesOf(proxies), own), undefined, host);
  }
});

test('what a provider says stands above the environment', () => {
  const rules = rulesOf({ HTTPS_PROXY: 'http://p.example:1', NO_PROXY: '*' });
  const own = readProxyAddress('http://own.example:1');
  assert.equal(proxyFor(new URL('https://a.example'), rules, own), own);
  const named = rulesOf({ HTTPS_PROXY: 'http://p.example:1' });
  assert.equal(proxyFor(new URL('https://a.example'), named, 'none'), undefined);
});

test('credentials are sent and never shown; other forms are refused without their text', () => {
  const proxy = readProxyAddress('http://user:p%40ss%3Aword@p.example');
  assert.equal(proxy.origin, 'http://p.example:80');
  const expected = `Basic ${Buffer.from('user:p@ss:word').toString('base64')}`;
  assert.equal(proxy.authorization?.reveal(), expected);
  assert.doesNotMatch(inspect(proxy, { depth: 9 }) + JSON.stringify(proxy), /ss:word|p%40ss|dXNlc/);
  for (const bad of [
    'socks5://secret.example:1080',
    'http://p.example/path',
    'http://',
    'ftp://p',
    'http://%zz:secret@p.example',
    'http://u:secret@p.example/x',
  ]) {
    const { rules, unreadable } = readProxyRules({ HTTPS_PROXY: bad });
    assert.equal(rules.https, undefined, bad);
    assert.deepEqual(
      unreadable.map(({ variable }) => variable),
      ['HTTPS_PROXY'],
      bad,
    );
    assert.doesNotMatch(JSON.stringify(unreadable), /secret/);
  }
});
