export { loadConfig } from './config.ts';
export type { Config } from './config.ts';
export { createService } from './service.ts';
export { isScope } from './domain/key/scope.ts';
export { openStorage } from './storage/open-storage.ts';
export {
  createKey,
  createWorkspace,
  findKey,
  findWorkspaceOwner,
  listKeys,
  revokeKey,
  rotateKey,
} from './storage/key-store.ts';
export { parseApiKey } from './domain/key/api-key.ts';
export type { KeySummary } from './domain/key/keys.ts';
export { planRotation } from './domain/key/plan-rotation.ts';
export { toExpiry } from './domain/key/to-expiry.ts';
