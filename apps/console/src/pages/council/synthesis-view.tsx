import { ProofBadges } from '../../proof/proof-badges.tsx';
import { Badge, Notice } from '../../ui/page-state.tsx';
import type { Tone } from '../../ui/page-state.tsx';
import { AGREEMENT } from '../../ui/agreement.ts';
import { describeTemplate } from '../../ui/template-reason.ts';
import { formatCountOf, formatPercent } from '../../ui/format.ts';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import type { TableColumn } from '../../ui/table.tsx';
import css from './council.module.css';
import type { Agent, DebateState, Synthesis } from './debate-state.ts';
import { Members } from './member.tsx';
import { absencesOf, describeAbsence, describeStop, movesOn } from './stance.ts';

/** The verdicts, what the council says about them, who dissents and why, and who is missing. */
export const SynthesisView = ({ debate }: { debate: DebateState }) => {
  const { synthesis, synthesisText, synthesisMessage, agents, phase } = debate;
  return (
    <div className={css.synthesis}>
      {synthesis && (
        <Section title="Verdicts" intro={<Summary debate={debate} synthesis={synthesis} />}>
          <VoteTable debate={debate} synthesis={synthesis} />
        </Section>
      )}
      <Section
        title="Synthesis"
        actions={
          synthesisMessage && <ProofBadges proofs={synthesisMessage.proofs} of="the synthesis" />
        }
      >
        <p className={css.result} aria-busy={phase === 'synthesis'}>
          {synthesisText || 'The synthesis is being written…'}
        </p>
        {synthesis?.fromTemplate && <Notice>{describeTemplate(synthesis)}</Notice>}
        <Missing debate={debate} />
      </Section>
      {synthesis && (
        <>
          <Sides
            title="Dissent"
            intro="Who does not stand with the majority, with their strongest point word for word."
            sides={synthesis.dissent}
            synthesis={synthesis}
            council={agents}
          />
          <Sides
            title="Camps"
            intro="Neither side has a majority on these propositions. What each side holds:"
            sides={synthesis.camps}
            synthesis={synthesis}
            council={agents}
          />
          {synthesis.openQuestions.length > 0 && (
            <Section title="Open questions">
              <ul className={css.questions}>
                {synthesis.openQuestions.map((question) => (
                  <li key={question}>{question}</li>
                ))}
              </ul>
            </Section>
          )}
        </>
      )}
    </div>
  );
};

/** How firm the verdicts are, each figure with its scale. */
const Summary = ({ debate: { rounds }, synthesis }: VoteTableProps) => {
  const { stoppedBy, confidence } = synthesis;
  const agreement = rounds.at(-1)?.score?.convergenceScore;
  return (
    <>
      {formatCountOf(synthesis.rounds, 'round')}, ended because {describeStop(stoppedBy)}.{' '}
      {agreement !== undefined && (
        <>
          Agreement {formatPercent(agreement)}, where {formatPercent(AGREEMENT.enough)} counts as
          agreed and {formatPercent(AGREEMENT.byChance)} is chance.{' '}
        </>
      )}
      The stances point one way by {formatPercent(confidence)}: 0% if those for and against are
      equally strong, 100% if all are fully on one side.
    </>
  );
};

const Missing = ({ debate: { rounds, agents, synthesis } }: { debate: DebateState }) => {
  const absences = absencesOf(rounds, agents);
  const others = (synthesis?.absentAgents ?? []).filter(
    (name) => !absences.some(({ agent }) => agent.name === name),
  );
  const without = synthesis?.withoutStance ?? [];
  return (
    <>
      {(absences.length > 0 || others.length > 0) && (
        <Notice tone="warn">
          <strong>Absent:</strong>{' '}
          {[
            ...absences.map(({ agent, reason }) => `${agent.name} (${describeAbsence(reason)})`),
            ...others,
          ].join('; ')}
          . The synthesis does not contain their last answer.
        </Notice>
      )}
      {without.length > 0 && (
        <Notice>
          <strong>Without a stance:</strong> {without.map(({ name }) => name).join(', ')}. They
          count neither as agreement nor as dissent.
        </Notice>
      )}
    </>
  );
};

type Vote = {
  id: string;
  proposition: string;
  verdict: Synthesis['consensus'][number]['verdict'];
  support: number;
  yes: Agent[];
  neither: Agent[];
  no: Agent[];
};

const VERDICTS: Record<Vote['verdict'], { label: string; tone: Tone }> = {
  support: { label: 'For', tone: 'good' },
  oppose: { label: 'Against', tone: 'bad' },
  split: { label: 'Split', tone: 'warn' },
  none: { label: 'No votes', tone: 'warn' },
};

type VoteTableProps = { debate: DebateState; synthesis: Synthesis };

const VoteTable = ({ debate: { rounds, agents }, synthesis }: VoteTableProps) => {
  const last = rounds.slice(-1);
  const votes = synthesis.consensus.map(({ issueId, ...verdict }): Vote => {
    const moves = movesOn(last, agents, issueId);
    const those = (sign: number): Agent[] =>
      moves.filter(({ stance }) => Math.sign(stance) === sign).map(({ agent }) => agent);
    return { ...verdict, id: issueId, yes: those(1), neither: those(0), no: those(-1) };
  });
  return <Table label="Votes" columns={toColumns(agents)} items={votes} />;
};

const toColumns = (council: readonly Agent[]): TableColumn<Vote>[] => {
  const cellOf = (members: readonly Agent[]) =>
    members.length === 0 ? (
      <span className="muted">none</span>
    ) : (
      <Members members={members} council={council} />
    );
  return [
    {
      id: 'proposition',
      title: 'Proposition',
      isRowHeader: true,
      cell: ({ proposition }) => <span className={css.voteText}>{proposition}</span>,
    },
    {
      id: 'verdict',
      title: 'Verdict',
      cell: ({ verdict }) => <Badge tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].label}</Badge>,
    },
    { id: 'for', title: 'For', cell: ({ yes }) => cellOf(yes) },
    { id: 'against', title: 'Against', cell: ({ no }) => cellOf(no) },
    { id: 'undecided', title: 'Undecided', cell: ({ neither }) => cellOf(neither) },
    {
      id: 'support',
      title: 'Mean stance',
      cell: ({ support }) => support.toLocaleString(undefined, SIGNED),
    },
  ];
};

const SIGNED = { signDisplay: 'exceptZero', maximumFractionDigits: 2 } as const;

type SidesProps = {
  title: string;
  intro: string;
  sides: Synthesis['dissent'];
  synthesis: Synthesis;
  council: readonly Agent[];
};

const SIDES = { for: 'For', against: 'Against', undecided: 'Undecided' } as const;

const Sides = ({ title, intro, sides, synthesis, council }: SidesProps) => {
  if (sides.length === 0) return null;
  const propositionOf = (id: string) =>
    synthesis.consensus.find(({ issueId }) => issueId === id)?.proposition;
  return (
    <Section title={title} intro={intro}>
      <ul className={css.sides}>
        {sides.map((one) => (
          <li key={`${one.issueId} ${one.side} ${one.agents[0]?.id}`} className={css.side}>
            <div className={css.sideHead}>
              <Members members={one.agents} council={council} />
              {one.side && <Badge>{SIDES[one.side]}</Badge>}
            </div>
            <p className="muted">{propositionOf(one.issueId)}</p>
            {one.strongestPoint !== null && (
              <blockquote className={css.point}>{one.strongestPoint}</blockquote>
            )}
            {one.position !== '' && one.position !== one.strongestPoint && <p>{one.position}</p>}
            {one.whatWouldChangeTheirMind !== null && (
              <p className={css.change}>
                <strong>Would change their mind:</strong> {one.whatWouldChangeTheirMind}
              </p>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
};
