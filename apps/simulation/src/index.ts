export { loadConfig } from './config.ts';
export type { Config } from './config.ts';
export { createService } from './service.ts';
