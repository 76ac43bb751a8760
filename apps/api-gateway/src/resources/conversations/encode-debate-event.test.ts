import { describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { DebateEventSchema } from '@witan/contracts';
import type { DebateEvent } from '@witan/contracts';
import { encodeDebateEvent, toFailure } from './encode-debate-event.ts';

type Init = Parameters<typeof create<typeof DebateEventSchema>>[1];

const CONTEXT = { requestId: 'req_12345678' };
const TIMESTAMP = { seconds: 1_790_000_000n, nanos: 5_000_000 };
const CREATED = '2026-09-21T14:13:20.005Z';

const toEvent = (event: NonNullable<Init>): DebateEvent =>
  create(DebateEventSchema, { debateId: 'dbt_1', seq: 4, ...event });

const encode = (event: NonNullable<Init>) => encodeDebateEvent(toEvent(event), CONTEXT);

const USER_MESSAGE = { id: 'msg_1', senderType: 'user', content: 'Hire?', createdAt: TIMESTAMP };
const AGENT_MESSAGE = {
  id: 'msg_2',
  senderType: 'agent',
  agentId: 'agt_1',
  agentName: 'Ann',
  content: 'Not yet.',
  createdAt: TIMESTAMP,
  debateId: 'dbt_1',
  roundNumber: 1,
  proofIds: ['pf_2'],
  stances: [{ issueId: 'i1', stance: -0.5, confidence: 0.8 }],
  keyPoints: [{ id: 'cash', text: 'Cash lasts 4 months.' }],
  finishReason: 'length',
};
const TERMINAL_FIELDS = {
  id: 'msg_3',
  senderType: 'synthesis',
  content: 'Not yet, says all but one.',
  createdAt: TIMESTAMP,
  debateId: 'dbt_1',
  proofIds: ['pf_2', 'pf_3'],
};
const ROUND = {
  messageId: 'msg_1',
  debateId: 'dbt_1',
  roundNumber: 1,
  convergenceScore: 0.3333,
  report: {
    method: 'stance',
    participation: 0.8,
    blocs: [{ agentIds: ['agt_1', 'agt_2'] }, { agentIds: ['agt_3'] }],
    textSimilarity: 0.25,
    conformityFlips: 1,
    consensus: 0.7257,
  },
};
const CONTRADICTION = {
  issueId: 'i1',
  agentId: 'agt_3',
  agentName: 'Cy',
  statement: 'No, not now.',
  says: 'against',
  votes: 'for',
};
const SYNTHESIS = {
  content: TERMINAL_FIELDS.content,
  verdicts: [{ issueId: 'i1', proposition: 'Hire now', verdict: 'oppose', support: -0.4 }],
  dissent: [
    {
      issueId: 'i1',
      agentIds: ['agt_3'],
      agentNames: ['Cy'],
      position: 'Hire.',
      strongestPoint: 'Demand is there.',
      strongestPointId: 'p2',
      side: 'for',
    },
  ],
  camps: [
    { issueId: 'i2', agentIds: ['agt_1'], agentNames: ['Ann'], position: 'No.', side: 'against' },
  ],
  withoutStance: [{ id: 'agt_2', name: 'Bo' }],
  openQuestions: ['How long is the cash?'],
  confidence: 0.6,
  convergenceScore: 0.3333,
  rounds: 1,
  absentAgents: ['Di'],
  stoppedBy: 'rounds',
  fromTemplate: true,
  templateReason: 'votes',
  contradictions: [CONTRADICTION],
};

const ENCODED_USER_MESSAGE = {
  id: 'msg_1',
  senderType: 'user',
  content: 'Hire?',
  createdAt: CREATED,
  debateId: null,
  proofs: [],
};
const ENCODED_AGENT_MESSAGE = {
  id: 'msg_2',
  senderType: 'agent',
  agentId: 'agt_1',
  agentName: 'Ann',
  content: 'Not yet.',
  createdAt: CREATED,
  debateId: 'dbt_1',
  roundNumber: 1,
  stances: [{ issueId: 'i1', stance: -0.5, confidence: 0.8 }],
  keyPoints: [{ id: 'cash', text: 'Cash lasts 4 months.' }],
  changedMind: false,
  changeReason: null,
  finishReason: 'length',
  stale: false,
  proofs: ['pf_2'],
};
const ENCODED_ENDED = {
  id: 'msg_3',
  senderType: 'synthesis',
  content: TERMINAL_FIELDS.content,
  createdAt: CREATED,
  debateId: 'dbt_1',
  proofs: ['pf_2', 'pf_3'],
};
const ENCODED_ROUND = {
  messageId: 'msg_1',
  roundNumber: 1,
  convergenceScore: 0.3333,
  debateId: 'dbt_1',
  method: 'stance',
  participation: 0.8,
  blocs: [['agt_1', 'agt_2'], ['agt_3']],
  textSimilarity: 0.25,
  conformityFlips: 1,
  consensus: 0.7257,
};
const ENCODED_SYNTHESIS = {
  content: TERMINAL_FIELDS.content,
  consensus: [{ issueId: 'i1', proposition: 'Hire now', verdict: 'oppose', support: -0.4 }],
  dissent: [
    {
      issueId: 'i1',
      side: 'for',
      agents: [{ id: 'agt_3', name: 'Cy' }],
      position: 'Hire.',
      strongestPoint: 'Demand is there.',
      strongestPointId: 'p2',
      whatWouldChangeTheirMind: null,
    },
  ],
  camps: [
    {
      issueId: 'i2',
      side: 'against',
      agents: [{ id: 'agt_1', name: 'Ann' }],
      position: 'No.',
      strongestPoint: null,
      strongestPointId: null,
      whatWouldChangeTheirMind: null,
    },
  ],
  withoutStance: [{ id: 'agt_2', name: 'Bo' }],
  openQuestions: ['How long is the cash?'],
  confidence: 0.6,
  convergenceScore: 0.3333,
  rounds: 1,
  absentAgents: ['Di'],
  stoppedBy: 'rounds',
  fromTemplate: true,
  templateReason: 'votes',
  contradictions: [CONTRADICTION],
};
const HEAD = { debateId: 'dbt_1', seq: 4, round: 0 };
const AGENT_EVENT_FIELDS = { debateId: 'dbt_1', seq: 4, round: 1, agentId: 'agt_1' };

describe('an event of a debate', () => {
  it.each<[string, NonNullable<Init>, object]>([
    [
      'debate.started',
      {
        event: {
          case: 'started',
          value: {
            conversationId: 'cnv_1',
            message: USER_MESSAGE,
            agents: [{ id: 'agt_1', name: 'Ann' }],
          },
        },
      },
      {
        ...HEAD,
        conversationId: 'cnv_1',
        message: ENCODED_USER_MESSAGE,
        agents: [{ id: 'agt_1', name: 'Ann' }],
      },
    ],
    [
      'frame',
      {
        event: {
          case: 'framed',
          value: { issues: [{ id: 'i1', proposition: 'Hire now', weight: 1 }] },
        },
      },
      { ...HEAD, issues: [{ id: 'i1', proposition: 'Hire now', weight: 1 }] },
    ],
    [
      'round.started',
      { roundNumber: 2, event: { case: 'roundStarted', value: {} } },
      { ...HEAD, round: 2 },
    ],
    [
      'agent.delta',
      { roundNumber: 1, agentId: 'agt_1', event: { case: 'agentDelta', value: 'Not ' } },
      { ...AGENT_EVENT_FIELDS, content: 'Not ' },
    ],
    [
      'agent.completed',
      { roundNumber: 1, agentId: 'agt_1', event: { case: 'agentCompleted', value: AGENT_MESSAGE } },
      { ...AGENT_EVENT_FIELDS, message: ENCODED_AGENT_MESSAGE },
    ],
    [
      'agent.failed',
      {
        roundNumber: 1,
        agentId: 'agt_1',
        event: { case: 'agentFailed', value: { agentName: 'Ann', reason: 'timeout' } },
      },
      { ...AGENT_EVENT_FIELDS, agentName: 'Ann', reason: 'timeout' },
    ],
    [
      'round.completed',
      { roundNumber: 1, event: { case: 'roundCompleted', value: ROUND } },
      { ...HEAD, round: 1, ...ENCODED_ROUND },
    ],
    [
      'synthesis.delta',
      { event: { case: 'synthesisDelta', value: 'Not yet' } },
      { ...HEAD, content: 'Not yet' },
    ],
    [
      'synthesis.completed',
      {
        event: {
          case: 'synthesisCompleted',
          value: { message: TERMINAL_FIELDS, synthesis: SYNTHESIS },
        },
      },
      { ...HEAD, message: ENCODED_ENDED, synthesis: ENCODED_SYNTHESIS },
    ],
    [
      'done',
      {
        event: {
          case: 'done',
          value: {
            convergenceScore: 0.3333,
            messages: [USER_MESSAGE, AGENT_MESSAGE, TERMINAL_FIELDS],
            debates: [ROUND],
            synthesis: SYNTHESIS,
            usage: { promptTokens: 7, completionTokens: 5, totalTokens: 12 },
            proofIds: ['pf_1', 'pf_2', 'pf_3'],
          },
        },
      },
      {
        ...HEAD,
        messages: [ENCODED_USER_MESSAGE, ENCODED_AGENT_MESSAGE, ENCODED_ENDED],
        convergenceScore: 0.3333,
        debates: [ENCODED_ROUND],
        synthesis: ENCODED_SYNTHESIS,
        usage: { promptTokens: 7, completionTokens: 5, totalTokens: 12 },
        proofs: ['pf_1', 'pf_2', 'pf_3'],
      },
    ],
    [
      'error',
      {
        event: {
          case: 'failed',
          value: {
            kind: 'PROVIDER_INVALID_ANSWER',
            code: 'debate_failed',
            message: 'Too few agents answered.',
          },
        },
      },
      {
        ...HEAD,
        error: {
          message: 'Too few agents answered.',
          type: 'server_error',
          param: null,
          code: 'debate_failed',
          requestId: 'req_12345678',
        },
      },
    ],
  ])('is encoded as %s', (name, event, data) => {
    expect(encode(event)).toEqual({ name, data });
  });

  it('is skipped if its type is unknown', () => {
    expect(encode({})).toBeUndefined();
  });

  it('has null for an absent stance and reason', () => {
    const { consensus: _none, ...report } = ROUND.report;
    const event = { case: 'roundCompleted' as const, value: { ...ROUND, report } };
    expect(encode({ event })?.data).toMatchObject({ consensus: null });
  });
});

describe('the failure of a debate', () => {
  it.each([
    ['mapped from its kind', { kind: 'INSUFFICIENT_QUOTA', code: '' }, 'INSUFFICIENT_QUOTA', {}],
    [
      'PROVIDER_INVALID_ANSWER for an unknown kind',
      { kind: 'server_error', code: 'debate_failed' },
      'PROVIDER_INVALID_ANSWER',
      { code: 'debate_failed' },
    ],
  ])('is %s', (_name, failed, reason, fields) => {
    const event = { case: 'failed' as const, value: { ...failed, message: 'No.' } };
    const { value } = toEvent({ event }).event as { value: Parameters<typeof toFailure>[0] };
    expect(toFailure(value)).toMatchObject({ reason, fields, message: 'No.' });
  });
});
