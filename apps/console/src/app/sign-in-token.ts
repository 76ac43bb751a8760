const TOKEN = /^#token=([A-Za-z0-9_-]+)$/;

/**
 * Returns the token of a one-time link and removes it from the address and from the history, so
 * that it is neither bookmarked nor shown.
 */
export const takeSignInToken = (page: Pick<Window, 'location' | 'history'>): string | undefined => {
  const [, token] = TOKEN.exec(page.location.hash) ?? [];
  if (token === undefined) return undefined;
  const { pathname, search } = page.location;
  page.history.replaceState(null, '', `${pathname}${search}`);
  return token;
};
