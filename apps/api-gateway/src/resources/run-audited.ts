import { isServiceError } from '@witan/contracts';
import type { Reason } from '@witan/contracts';
import type { CallOptions } from '@witan/service-kit';
import type { AuditEntry, RecordAudit } from '../audit/audit.ts';
import { optionsOf } from '../http/route.ts';
import type { RouteCall } from '../http/route.ts';

type Audited = { recordAudit: RecordAudit } & (
  | Pick<AuditEntry, 'action' | 'subject' | 'detail'>
  | { entries: readonly AuditEntry[] }
);

/**
 * Makes a change and writes its audit entries. Both complete even if the client disconnects.
 */
export const runAudited = async <T>(
  call: RouteCall,
  { recordAudit, ...audited }: Audited,
  work: (options: CallOptions) => Promise<T>,
): Promise<T> => {
  const { workspaceId, keyId: actor } = call.principal!;
  const entries = 'entries' in audited ? audited.entries : [{ ...audited, workspaceId, actor }];
  const result = await work({ ...optionsOf(call), signal: undefined }).catch(async (error) => {
    // After an error that is not a refusal, the change may have happened, so it is audited.
    if (!isRefusal(error)) await recordAudit(entries);
    throw error;
  });
  await recordAudit(entries);
  return result;
};

/**
 * Creates an object and writes its audit entry, with the id that `idOf` returns. Both complete even
 * if the client disconnects.
 */
export const createAudited = async <T>(
  call: RouteCall,
  { action, recordAudit }: Pick<AuditEntry, 'action'> & { recordAudit: RecordAudit },
  create: (options: CallOptions) => Promise<T>,
  idOf: (created: T) => string,
): Promise<T> => {
  const { workspaceId, keyId: actor } = call.principal!;
  const created = await create({ ...optionsOf(call), signal: undefined });
  await recordAudit([{ workspaceId, actor, action, subject: idOf(created) }]);
  return created;
};

/** Returns the names of the members that a body sets, for the detail of an audit entry. */
export const membersOf = (
  body: Readonly<Record<string, unknown>>,
  { properties }: { properties: object },
): string =>
  Object.keys(properties)
    .filter((name) => Object.hasOwn(body, name))
    .join(', ');

const REFUSALS: ReadonlySet<Reason> = new Set(['INVALID_REQUEST', 'NOT_FOUND', 'CONFLICT']);

const isRefusal = (error: unknown): boolean => isServiceError(error) && REFUSALS.has(error.reason);
