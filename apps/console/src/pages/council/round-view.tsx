import type { CSSProperties } from 'react';
import { formatPercent } from '../../ui/format.ts';
import css from './council.module.css';
import { AnswerCard } from './answer-card.tsx';
import type { DebateState, Round } from './debate-state.ts';
import { positionIn } from './stance.ts';

type RoundViewProps = { debate: DebateState; round: Round };

/** The answers of one round, a column for each agent. */
export const RoundView = ({ debate: { agents, issues, rounds, phase }, round }: RoundViewProps) => {
  const isRunning = phase === 'round' && round === rounds.at(-1) && !round.score;
  return (
    <section className={css.round} aria-label={`Round ${round.round}`}>
      <header className={css.roundHead}>
        <h3>Round {round.round}</h3>
        <span className="muted">
          {round.round === 1
            ? 'Each agent answers alone.'
            : 'Each agent has read the positions of the others, without names.'}
        </span>
        {round.score && (
          <span className={css.agreement}>
            {formatPercent(round.score.convergenceScore)} agreement
          </span>
        )}
      </header>
      <div
        className={css.cards}
        style={{ '--agents': agents.length } as CSSProperties}
        tabIndex={0}
        role="group"
        aria-label={`Answers of round ${round.round}`}
      >
        {agents.map((agent, index) => (
          <AnswerCard
            key={agent.id}
            agent={agent}
            index={index}
            round={round.round}
            answer={round.answers[agent.id]}
            issues={issues}
            isRunning={isRunning}
            positionOn={(issueId) =>
              positionIn(rounds, { agentId: agent.id, issueId, round: round.round })
            }
          />
        ))}
      </div>
    </section>
  );
};
