import { AGREEMENT } from '../../ui/agreement.ts';
import { Chart } from '../../ui/chart.tsx';
import { Icon } from '../../ui/icon.tsx';
import { formatPercent } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import css from './council.module.css';
import type { DebateState, Issue } from './debate-state.ts';
import { Member } from './member.tsx';
import { labelOf, movesOn, stepOf, STEPS } from './stance.ts';
import type { Move } from './stance.ts';

/** Where the agents stand on each proposition now, and how far they agree after each round. */
export const StanceBoard = ({ debate }: { debate: DebateState }) => (
  <div className={css.board}>
    <Section
      title="Where they stand"
      intro="Arrow: moved since its first answer. Dashed ring: absent."
    >
      <div className={css.legend} aria-hidden="true">
        {STEPS.map(({ value, label }) => (
          <span key={value}>{label}</span>
        ))}
      </div>
      {debate.issues.length === 0 ? (
        <p className="muted">Finding the propositions that one can be for or against…</p>
      ) : (
        <ol className={css.issues}>
          {debate.issues.map((issue, index) => (
            <IssueRow key={issue.id} issue={issue} number={index + 1} debate={debate} />
          ))}
        </ol>
      )}
    </Section>
    <Section title="Convergence">
      <Convergence debate={debate} />
    </Section>
  </div>
);

type IssueRowProps = { issue: Issue; number: number; debate: DebateState };

const IssueRow = ({ issue, number, debate: { rounds, agents } }: IssueRowProps) => {
  const moves = movesOn(rounds, agents, issue.id);
  return (
    <li className={css.issue}>
      <p className={css.proposition}>
        <span className={css.issueNumber}>{number}</span>
        {issue.proposition}
      </p>
      <ul className={css.bins} aria-label={`Stances on proposition ${number}`}>
        {STEPS.map(({ value, label }, step) => (
          <li key={value} className={css.bin}>
            <span className="visually-hidden">{label}: </span>
            {moves
              .filter(({ stance }) => stepOf(stance) === step)
              .map((move) => (
                <MovedMember key={move.agent.id} move={move} index={agents.indexOf(move.agent)} />
              ))}
          </li>
        ))}
      </ul>
    </li>
  );
};

type MovedMemberProps = { move: Move; index: number };

const MovedMember = ({ move: { agent, stance, first, isAbsent }, index }: MovedMemberProps) => (
  <span className={css.placed} data-absent={isAbsent ? '' : undefined}>
    <Member agent={agent} index={index} isNamed={false} />
    {isAbsent && <span className="visually-hidden"> (absent now, its last stance)</span>}
    {stance !== first && (
      <span className={css.moved} data-to={stance > first ? 'for' : 'against'}>
        <Icon name="chevron" size={12} />
        <span className="visually-hidden"> moved from {labelOf(first)}</span>
      </span>
    )}
  </span>
);

const Convergence = ({ debate: { rounds } }: { debate: DebateState }) => {
  const scored = rounds.flatMap(({ round, score }) =>
    score ? [{ round, share: score.convergenceScore }] : [],
  );
  const last = scored.at(-1);
  return (
    <div className={css.convergence}>
      <p>
        <strong className={css.figure}>{last ? formatPercent(last.share) : '–'}</strong>{' '}
        <span className="muted">
          {last ? `agreement after round ${last.round}` : 'known after the first round'}
        </span>
      </p>
      <p className="muted">
        From {formatPercent(AGREEMENT.enough)} the agents agree; stances drawn at random have{' '}
        {formatPercent(AGREEMENT.byChance)}.
      </p>
      <Chart
        title="Convergence"
        unit="agreement after each round"
        x={scored.map(({ round }) => round)}
        range={[0, 1]}
        formatX={(round) => `Round ${round}`}
        format={formatPercent}
        lines={[
          {
            label: 'Agreement',
            color: '--series-1',
            values: scored.map(({ share }) => share),
          },
          {
            label: 'Agreed from',
            color: '--series-3',
            values: scored.map(() => AGREEMENT.enough),
            isDashed: true,
          },
          {
            label: 'By chance',
            color: '--series-2',
            values: scored.map(() => AGREEMENT.byChance),
            isDashed: true,
          },
        ]}
      />
    </div>
  );
};
