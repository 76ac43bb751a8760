import { Workspaces } from './0001-workspaces.ts';
import { KeysInFull } from './0002-keys-in-full.ts';
import { Idempotency } from './0003-idempotency.ts';
import { ConsoleSessions } from './0004-console-sessions.ts';
import { AuditIndex } from './0005-audit-index.ts';
import { StoredResponses } from './0006-stored-responses.ts';
import { StoredResponseUsage } from './0007-stored-response-usage.ts';
import { StoringOfResponses } from './0008-storing-of-responses.ts';
import { InputOfStoredResponses } from './0009-input-of-stored-responses.ts';

export const MIGRATIONS = [
  { name: '0001-workspaces', class: Workspaces },
  { name: '0002-keys-in-full', class: KeysInFull },
  { name: '0003-idempotency', class: Idempotency },
  { name: '0004-console-sessions', class: ConsoleSessions },
  { name: '0005-audit-index', class: AuditIndex },
  { name: '0006-stored-responses', class: StoredResponses },
  { name: '0007-stored-response-usage', class: StoredResponseUsage },
  { name: '0008-storing-of-responses', class: StoringOfResponses },
  { name: '0009-input-of-stored-responses', class: InputOfStoredResponses },
];
