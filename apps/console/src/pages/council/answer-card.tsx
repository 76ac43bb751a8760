import { memo, useId, useState } from 'react';
import { ProofBadges } from '../../proof/proof-badges.tsx';
import { Badge } from '../../ui/page-state.tsx';
import { Button } from 'react-aria-components/Button';
import css from './council.module.css';
import type { Agent, Answer, Issue, Message } from './debate-state.ts';
import { Member } from './member.tsx';
import { describeAbsence } from './stance.ts';
import type { Position } from './stance.ts';
import { StanceScale } from './stance-scale.tsx';

type AnswerCardProps = {
  agent: Agent;
  index: number;
  round: number;
  answer: Answer | undefined;
  issues: readonly Issue[];
  positionOn: (issueId: string) => Position;
  isRunning: boolean;
};

/**
 * One answer of an agent. Its height is the same while it is awaited, written and complete, so that
 * nothing moves under the reader; the rest of a long text opens on demand.
 */
const AnswerCardView = (props: AnswerCardProps) => {
  const { agent, index, round, answer, issues, positionOn, isRunning } = props;
  const message = answer?.status === 'done' ? answer.message : undefined;
  return (
    <article className={css.card} aria-label={`${agent.name}, round ${round}`}>
      <header className={css.cardHead}>
        <Member agent={agent} index={index} />
        <AnswerBadge answer={answer} />
      </header>
      <AnswerBody answer={answer} isRunning={isRunning} />
      {message === undefined && <div className={css.more} />}
      <ul className={css.scales} aria-label={`Stances of ${agent.name}`}>
        {issues.map(({ id, proposition }, at) => (
          <StanceScale
            key={id}
            number={at + 1}
            proposition={proposition}
            position={positionOn(id)}
            isPending={isRunning && message === undefined && answer?.status !== 'absent'}
          />
        ))}
      </ul>
      <footer className={css.cardFoot}>
        {message && <ProofBadges proofs={message.proofs} of={`${agent.name} in round ${round}`} />}
      </footer>
    </article>
  );
};

const isSame = (one: AnswerCardProps, other: AnswerCardProps): boolean =>
  one.answer === other.answer &&
  one.issues === other.issues &&
  one.agent === other.agent &&
  one.isRunning === other.isRunning;

export const AnswerCard = memo(AnswerCardView, isSame);

const AnswerBadge = ({ answer }: { answer: Answer | undefined }) => {
  if (answer?.status === 'absent') return <Badge tone="warn">Absent</Badge>;
  if (answer?.status !== 'done') return null;
  const { changedMind = false, stale = false } = answer.message;
  if (stale) return <Badge tone="warn">Earlier answer</Badge>;
  return changedMind ? <Badge tone="info">Changed its mind</Badge> : null;
};

const AnswerBody = ({ answer, isRunning }: { answer: Answer | undefined; isRunning: boolean }) => {
  if (answer === undefined) {
    return (
      <div className={css.text} data-waiting={isRunning ? '' : undefined}>
        <p className="muted">{isRunning ? 'Thinking…' : 'No answer.'}</p>
      </div>
    );
  }
  switch (answer.status) {
    case 'writing':
      return (
        <div className={css.text} data-writing="">
          <p className={css.prose}>{answer.text}</p>
        </div>
      );
    case 'absent':
      return (
        <div className={css.text}>
          <p className="muted">Absent in this round: {describeAbsence(answer.reason)}.</p>
        </div>
      );
    case 'done':
      return <CompleteAnswer message={answer.message} />;
  }
};

/** Beyond this many characters a text does not fit into its card. */
const SHORT_TEXT = 170;

const CompleteAnswer = ({ message }: { message: Message }) => {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { content, changeReason, keyPoints = [], finishReason } = message;
  const isLong = content.length > SHORT_TEXT || keyPoints.length > 0;
  return (
    <>
      <div className={css.text} id={id} data-open={isOpen ? '' : undefined}>
        {changeReason && <p className={css.reason}>{changeReason}</p>}
        <p className={css.prose}>{content}</p>
        {finishReason && finishReason !== 'stop' && (
          <p className="muted">The model was cut off ({finishReason}).</p>
        )}
        {isOpen && keyPoints.length > 0 && (
          <ul className={css.points}>
            {keyPoints.map(({ id: pointId, text }) => (
              <li key={pointId}>{text}</li>
            ))}
          </ul>
        )}
      </div>
      <div className={css.more}>
        {isLong && (
          <Button
            className={css.moreButton}
            aria-expanded={isOpen}
            aria-controls={id}
            onPress={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Show less' : 'Read all'}
          </Button>
        )}
      </div>
    </>
  );
};
