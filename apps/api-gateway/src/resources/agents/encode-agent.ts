import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { notFound } from '@witan/contracts';
import type { Agent, Memory, Session, SessionMessage } from '@witan/contracts';
import type { RouteCall } from '../../http/route.ts';

export const encodeAgent = (agent: Agent) => ({
  id: agent.id,
  name: agent.name,
  slug: agent.slug,
  role: agent.role,
  systemPrompt: agent.systemPrompt,
  personality: agent.personality,
  mission: agent.mission,
  decisionStyle: agent.decisionStyle,
  model: agent.model,
  createdAt: toInstant(agent.createdAt),
  updatedAt: toInstant(agent.updatedAt),
});

export const encodeSession = ({ id, title, createdAt, closed }: Session) => ({
  id,
  title,
  createdAt: toInstant(createdAt),
  ...(closed ? { closed } : {}),
});

export const encodeListedSession = (session: Session) => ({
  ...encodeSession(session),
  _count: { messages: session.messageCount },
});

export const encodeSessionMessage = ({ senderType, agentName, content }: SessionMessage) => ({
  senderType,
  ...(senderType === 'agent' ? { agentName } : {}),
  content,
});

export const encodeMemory = (memory: Memory) => ({
  id: memory.id,
  key: memory.key,
  value: memory.value,
  type: memory.type,
  global: memory.global,
  source: memory.source,
  createdAt: toInstant(memory.createdAt),
  updatedAt: toInstant(memory.updatedAt),
  ...encodeFlags(memory),
  ...(memory.tainted ? { tainted: true } : {}),
});

export const encodeFlags = ({
  localOnly,
  globalDenied,
}: Pick<Memory, 'localOnly' | 'globalDenied'>) => ({
  ...(localOnly ? { localOnly } : {}),
  ...(globalDenied ? { globalDenied } : {}),
});

const toInstant = (time: Timestamp | undefined): string => timestampDate(time!).toISOString();

const AGENT_ID = /^agt_[0-9A-Za-z]{1,64}$/;
const SESSION_ID = /^ses_[0-9A-Za-z]{1,64}$/;
const MEMORY_ID = /^mem_[0-9A-Za-z]{1,64}$/;

export const isAgentId = (text: string): boolean => AGENT_ID.test(text);

export const isSessionId = (text: string): boolean => SESSION_ID.test(text);

export const isMemoryId = (text: string): boolean => MEMORY_ID.test(text);

export const readAgentId = ({ params }: RouteCall): string => {
  if (isAgentId(params.id!)) return params.id!;
  throw notFound('There is no such agent in this workspace.');
};

export const readSessionId = (id: string): string => {
  if (isSessionId(id)) return id;
  throw notFound('There is no such session of this agent.', { param: 'sessionId' });
};

export const readMemoryId = ({ params }: RouteCall): string => {
  if (isMemoryId(params.memoryId!)) return params.memoryId!;
  throw notFound('There is no such memory of this agent.');
};
