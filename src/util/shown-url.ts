/**
 * Masks an address for display: removes user and password, hides the values of its query and its fragment. A text
 * that is not an address stays unchanged.
 */
export function shownUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  const { protocol, host, pathname, searchParams, hash } = url;
  if (url.username === '' && url.password === '' && url.search === '' && hash === '') return address;
  const user = url.username === '' && url.password === '' ? '' : '[secret]@';
  const names = [...searchParams.keys()].map((name) => `${name}=[secret]`);
  const query = url.search === '' ? '' : `?${names.join('&')}`;
  return `${protocol}//${user}${host}${pathname}${query}${hash === '' ? '' : '#[secret]'}`;
}
