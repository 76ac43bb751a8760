import { conflict } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { noSuchConversation } from '../conversation/conversations.ts';
import type { BeginDebateResult, NewDebate } from '../record/debate-store.ts';

export type BeginDebateRequest = {
  workspaceId: string;
  debate: NewDebate;
  lease: string;
  leaseMs: number;
};

/**
 * Size from which a conversation accepts no new debate. A conversation is returned whole in one
 * message between services, whose limit is 40 MiB. The size is checked before a debate begins, so
 * that a running debate can always finish.
 */
const CONVERSATION_BYTES_MAX = 24 * 1024 * 1024;
const CONVERSATION_MESSAGES_MAX = 20_000;

export const beginDebate = async (
  query: Database['query'],
  request: BeginDebateRequest,
): Promise<BeginDebateResult> => {
  const { workspaceId, debate, lease } = request;
  const { id, origin } = debate;
  const leasedAt = performance.now();
  const [row] = await query<BeginDebateRow>({
    name: 'insert_debate',
    text: INSERT_DEBATE,
    values: toValues(request),
  });
  const { problem, ...stored } = row!;
  if (problem !== null) throw REFUSALS[problem]();
  if (stored.id !== id) {
    if (stored.fingerprint !== debate.fingerprint) throw keyReused();
    return { isNew: false, debateId: stored.id };
  }
  const conversationId = origin.kind === 'conversation' ? origin.conversationId : '';
  return {
    isNew: true,
    leased: { workspaceId, id, conversationId, lease, leasedAt, attempts: 1 },
  };
};

type Problem = 'no_conversation' | 'debate_running' | 'conversation_full';

type BeginDebateRow = { problem: Problem | null; id: string; fingerprint: string };

const INSERT_DEBATE = `
  SELECT * FROM insert_debate($1, ROW($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
    $14)::new_debate, $15, $16, $17, $18)`;

const toValues = ({ workspaceId, debate, lease, leaseMs }: BeginDebateRequest) => {
  const { origin } = debate;
  return [
    workspaceScope(workspaceId).setting,
    debate.id,
    ...(origin.kind === 'conversation'
      ? [origin.conversationId, origin.messageId, null, null]
      : [null, null, origin.owner, origin.key]),
    debate.question,
    debate.briefing,
    debate.requestSha256,
    debate.requestId,
    JSON.stringify(debate.config),
    debate.fingerprint,
    debate.createdAt.toISOString(),
    Buffer.byteLength(debate.question),
    lease,
    leaseMs,
    CONVERSATION_BYTES_MAX,
    CONVERSATION_MESSAGES_MAX,
  ];
};

const REFUSALS: Readonly<Record<Problem, () => ServiceError>> = {
  no_conversation: noSuchConversation,
  debate_running: () =>
    conflict('The council still debates a message of this conversation; wait until it is done.', {
      code: 'debate_running',
    }),
  conversation_full: () =>
    conflict('As much was said in this conversation as it keeps; begin a new one.', {
      code: 'conversation_full',
    }),
};

const keyReused = (): ServiceError =>
  conflict('A panel with this key was asked something else.', { code: 'panel_key_reused' });
