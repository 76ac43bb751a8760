const TOKEN = /^#token=([A-Za-z0-9_-]+)$/;

/**
 * If the page was opened by a one-time link, changes the address to the sign-in page and returns a
 * function that returns the token once. The token is then neither bookmarked, nor in the history,
 * nor sent twice.
 */
export const takeSignInToken = (
  page: Pick<Window, 'location' | 'history'>,
  signInPath: string,
): (() => string | undefined) => {
  let [, token] = TOKEN.exec(page.location.hash) ?? [];
  if (token !== undefined) page.history.replaceState(null, '', signInPath);
  return () => {
    const taken = token;
    token = undefined;
    return taken;
  };
};
