export { loadConfig } from './config.ts';
export type { Config } from './config.ts';
export { createService } from './service.ts';
export { isScope } from './auth/scope.ts';
export { openStorage } from './open-storage.ts';
export {
  createKey,
  createWorkspace,
  findKey,
  findWorkspaceOwner,
  listKeys,
  revokeKey,
  rotateKey,
} from './auth/store/key-store.ts';
export { parseApiKey } from './auth/authenticate.ts';
export type { KeySummary } from './auth/keys.ts';
export { planRotation, toExpiry } from './auth/key-expiry.ts';
