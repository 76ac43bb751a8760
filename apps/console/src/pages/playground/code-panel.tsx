import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copyable.tsx';
import { Section } from '../../ui/page.tsx';
import { Radio, RadioGroup } from '../../ui/radio-group.tsx';
import type { CallRequest } from './call-request.ts';
import type { DialectName } from './dialects.ts';
import css from './playground.module.css';
import { KEY_VARIABLE } from './sdk-snippets.ts';
import { LANGUAGES, toSnippet } from './snippets.ts';
import type { Language } from './snippets.ts';

type CodePanelProps = { dialect: DialectName; request: CallRequest };

/** The same call as a program that can be copied. */
export const CodePanel = ({ dialect, request }: CodePanelProps) => {
  const [language, setLanguage] = useState<Language>('curl');
  const code = toSnippet(language, { dialect, request, baseUrl: location.origin });
  return (
    <Section
      title="The same call in your code"
      intro={
        <>
          Set <code>{KEY_VARIABLE}</code> to an API key with the scope <code>gateway</code>.
        </>
      }
      actions={
        <Button icon="copy" onPress={() => void copyText(code, LANGUAGES[language])}>
          Copy
        </Button>
      }
    >
      <div className={css.languages}>
        <RadioGroup
          label="Language"
          value={language}
          onChange={(value) => setLanguage(value as Language)}
        >
          {Object.entries(LANGUAGES).map(([value, label]) => (
            <Radio key={value} value={value}>
              {label}
            </Radio>
          ))}
        </RadioGroup>
      </div>
      <pre className={css.code} tabIndex={0} aria-label={`Code for ${LANGUAGES[language]}`}>
        {code}
      </pre>
    </Section>
  );
};
