/**
 * Returns whether a key with the scopes `granted` may use a page that needs one of `required`. The
 * same rules as in the API: `x` includes `x:read`, and `*` includes all scopes except `operator`.
 * This decides what is shown only; the API checks every call.
 */
export const grantsAny = (granted: readonly string[], required: readonly string[]): boolean =>
  required.length === 0 || required.some((scope) => grants(granted, scope));

const grants = (granted: readonly string[], required: string): boolean => {
  if (granted.includes(required)) return true;
  if (required === 'operator') return false;
  return granted.includes('*') || granted.includes(required.replace(/:read$/, ''));
};
