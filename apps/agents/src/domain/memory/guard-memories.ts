import { findEchoes } from './find-echoes.ts';
import type { MemoryMarks } from './memory.ts';
import type { MemoryTag, TagRejection } from './to-memory-tag.ts';

/** Whether tags of a turn may write memories of the whole workspace, or why not. */
export type GlobalWrites = 'allowed' | 'untrusted_blocks' | 'gateway_call' | 'switched_off';

/** What a turn was, as far as its memories can be trusted. */
export type TurnTrust = {
  /** The prompt held tool results, passages or context, or what came of a turn that did. */
  isTainted: boolean;
  /** The agent was called by its `agent:` address. */
  isGatewayCall: boolean;
  /** The workspace lets agents write global memories at all. */
  workspaceSharesMemories: boolean;
};

export type GuardedMemory = MemoryTag &
  MemoryMarks & {
    /** It asked to be global, and is stored for its agent alone. */
    isGlobalDenied: boolean;
  };

export type GuardedMemories = {
  memories: GuardedMemory[];
  rejected: { keyNorm: string; reason: TagRejection | 'echoed_untrusted' }[];
};

/** Hears of tags that were neither shown nor kept. */
export type OnRejected = (agentId: string, rejected: GuardedMemories['rejected']) => void;

/** Whether a turn may write global memories (decisions.md, "Memory safety"). */
export function toGlobalWrites(turn: TurnTrust): GlobalWrites {
  if (!turn.workspaceSharesMemories) return 'switched_off';
  if (turn.isGatewayCall) return 'gateway_call';
  return turn.isTainted ? 'untrusted_blocks' : 'allowed';
}

/**
 * What is stored of an answer's tags, with the marks of its turn: nothing that the model repeats
 * from a tag in `untrustedTexts`, which are the message, the context, tool results and passages of
 * the turn before they were defused.
 */
export function guardMemories(
  tags: readonly MemoryTag[],
  turn: MemoryMarks & { untrustedTexts: readonly string[]; globalWrites: GlobalWrites },
): GuardedMemories {
  const echoes = tags.length === 0 ? new Set<MemoryTag>() : findEchoes(tags, turn.untrustedTexts);
  const { isLocalOnly, isTainted } = turn;
  const memories = tags
    .filter((tag) => !echoes.has(tag))
    .map((tag): GuardedMemory => {
      const isGlobalDenied = tag.isGlobal && turn.globalWrites !== 'allowed';
      const isGlobal = tag.isGlobal && !isGlobalDenied;
      return { ...tag, isGlobal, isGlobalDenied, isLocalOnly, isTainted };
    });
  const rejected = [...echoes].map(({ keyNorm }) => ({
    keyNorm,
    reason: 'echoed_untrusted' as const,
  }));
  return { memories, rejected };
}
