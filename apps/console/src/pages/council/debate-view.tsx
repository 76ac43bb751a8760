import { describeError } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice, Pulse } from '../../ui/page-state.tsx';
import css from './council.module.css';
import { describeFailure } from './debate-failure.ts';
import type { DebateState } from './debate-state.ts';
import { RoundView } from './round-view.tsx';
import { StanceBoard } from './stance-board.tsx';
import { SynthesisView } from './synthesis-view.tsx';
import { useDebate } from './use-debate.ts';
import type { Connection } from './use-debate.ts';

type DebateViewProps = { conversationId: string; debateId: string; onEnd: () => void };

/** A debate as it happens, or as it happened. */
export const DebateView = ({ conversationId, debateId, onEnd }: DebateViewProps) => {
  const { debate, connection, reconnect } = useDebate({ conversationId, debateId }, onEnd);
  const { phase, synthesisText } = debate;
  return (
    <div className={css.debate}>
      <div className={css.status}>
        <p role="status" className={css.phase}>
          {phase !== 'failed' && phase !== 'done' && <Pulse />}
          {phase === 'done' && <Icon name="passed" size={16} />}
          {describePhase(debate, connection)}
        </p>
        {phase !== 'done' && phase !== 'failed' && (
          <span className="muted">You can leave this page: the debate continues.</span>
        )}
      </div>
      {connection.status === 'lost' && (
        <Notice tone="bad">
          <p>{describeError(connection.error)} What was said so far is stored.</p>
          <Button icon="refresh" onPress={reconnect}>
            Continue
          </Button>
        </Notice>
      )}
      {debate.error && (
        <Notice tone="bad">
          <p>{describeFailure(debate.error)}</p>
        </Notice>
      )}
      {(phase === 'synthesis' || phase === 'done' || synthesisText !== '') && (
        <SynthesisView debate={debate} />
      )}
      <StanceBoard debate={debate} />
      {debate.rounds.map((round) => (
        <RoundView key={round.round} debate={debate} round={round} />
      ))}
    </div>
  );
};

const describePhase = ({ phase, agents, rounds }: DebateState, { status }: Connection): string => {
  if (status === 'reconnecting') return 'The connection was lost. Connecting again…';
  if (status === 'lost') return 'The connection is lost.';
  switch (phase) {
    case 'starting':
      return 'Opening the debate…';
    case 'framing':
      return 'Framing the question…';
    case 'round': {
      const last = rounds.at(-1)!;
      if (last.score) return 'Comparing the stances…';
      const answers = Object.values(last.answers).filter((one) => one.status !== 'writing');
      return `Round ${last.round}: ${answers.length} of ${agents.length} agents are done`;
    }
    case 'synthesis':
      return 'Writing the synthesis…';
    case 'done':
      return 'The council has answered';
    case 'failed':
      return 'The debate failed';
  }
};
