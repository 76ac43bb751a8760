import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { canUse, useSession } from '../../../app/session.ts';
import { useChange } from '../../../app/use-change.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox, CheckboxGroup } from '../../../ui/checkbox.tsx';
import { Failure, Problem, Skeleton } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import { notify } from '../../../ui/toast.tsx';
import css from '../settings.module.css';
import { changeWorkspace, workspaceQuery } from '../workspace-query.ts';
import type { WorkspaceChange } from '../workspace-query.ts';
import { CATEGORIES } from './categories.ts';
import type { Privacy } from './categories.ts';
import { RuleList } from './rule-list.tsx';
import { TryOut } from './try-out.tsx';

/** What is masked before a request leaves for a provider that is not local. */
export const PrivacyPage = () => {
  const workspace = useQuery(workspaceQuery);
  if (workspace.isPending) return <Skeleton lines={12} />;
  if (workspace.isError) {
    return <Failure error={workspace.error} onRetry={() => void workspace.refetch()} />;
  }
  const { privacy } = workspace.data;
  // A saved change begins a new draft.
  return <PrivacyForm key={JSON.stringify(privacy)} saved={privacy} />;
};

const PrivacyForm = ({ saved }: { saved: Privacy }) => {
  const mayChange = canUse(useSession(), ['keys']);
  const [draft, setDraft] = useState(saved);
  const change = (part: Partial<Privacy>): void => setDraft({ ...draft, ...part });
  return (
    <div className={css.sectionList}>
      <Section
        title="Privacy"
        intro={
          'These values are replaced by placeholders before a request leaves for a provider ' +
          'that is not local, and restored in the answer.'
        }
      >
        <CheckboxGroup
          label="Categories"
          value={draft.categories}
          isDisabled={!mayChange}
          onChange={(categories) => change({ categories: categories as Privacy['categories'] })}
        >
          {CATEGORIES.map(({ value, label }) => (
            <Checkbox key={value} value={value}>
              {label}
            </Checkbox>
          ))}
        </CheckboxGroup>
        <RuleList
          title="Own terms"
          intro="Whole words in any case, such as the name of a project."
          field="Term"
          rules={draft.terms.map(({ text, category }) => ({ text, category }))}
          onChange={mayChange ? (terms) => change({ terms }) : undefined}
        />
        <RuleList
          title="Own patterns"
          intro="Shapes such as order numbers: AB-\d{4} finds AB-1234."
          field="Pattern"
          rules={draft.patterns.map(({ pattern, category }) => ({ text: pattern, category }))}
          onChange={
            mayChange
              ? (rules) =>
                  change({
                    patterns: rules.map(({ text, category }) => ({ pattern: text, category })),
                  })
              : undefined
          }
        />
        {mayChange && <SaveBar saved={saved} draft={draft} onDiscard={() => setDraft(saved)} />}
      </Section>
      <TryOut settings={draft} />
    </div>
  );
};

type SaveBarProps = { saved: Privacy; draft: Privacy; onDiscard: () => void };

const SaveBar = ({ saved, draft, onDiscard }: SaveBarProps) => {
  const saving = useChange({
    run: (change: WorkspaceChange) => changeWorkspace(change),
    changes: [workspaceQuery.queryKey],
    onDone: () => notify('The privacy settings are saved'),
  });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved);
  return (
    <>
      <Problem error={saving.error} />
      <div className={css.buttons}>
        <Button
          kind="primary"
          isDisabled={!isChanged}
          isPending={saving.isPending}
          onPress={() => saving.mutate({ privacy: draft })}
        >
          Save
        </Button>
        <Button isDisabled={!isChanged} onPress={onDiscard}>
          Discard changes
        </Button>
        <Button kind="quiet" onPress={() => saving.mutate({ privacy: {} })}>
          Restore the defaults
        </Button>
      </div>
    </>
  );
};
