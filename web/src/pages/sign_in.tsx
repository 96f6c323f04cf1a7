/* sign_in: asks for a token. */
import { useState } from "preact/hooks";
import { learnWho, messageOf } from "../api";
import { CheckField, TextField } from "../parts/fields";
import { keepToken, refusal } from "../session";

export function SignIn() {
    const [text, setText] = useState("");
    const [isForLong, setForLong] = useState(false);
    const [error, setError] = useState(refusal.value);
    const [isBusy, setBusy] = useState(false);
    const signIn = async (event: Event) => {
        event.preventDefault();
        if (text.trim() === "") {
            setError("Paste a token.");
            return;
        }
        setBusy(true);
        keepToken(text.trim(), isForLong);
        try {
            await learnWho();
        } catch (problem) {
            setError(refusal.value || messageOf(problem));
        }
        setBusy(false);
    };
    return (
        <main class="sign-in">
            <form class="panel" onSubmit={(event) => void signIn(event)}>
                <h1>
                    <svg viewBox="0 0 32 32" aria-hidden="true">
                        <path d="M16 4a8 8 0 0 0-8 8v7l-3 4h22l-3-4v-7a8 8 0 0 0-8-8zm-4 21a4 4 0 0 0 8 0z" fill="currentColor" />
                    </svg>
                    Belfry
                </h1>
                <TextField
                    label="Token"
                    type="password"
                    value={text}
                    onInput={setText}
                    error={error}
                    hint={
                        <>
                            The server's own is in the file <code>token</code> of its data folder.
                        </>
                    }
                    autoFocus
                />
                <CheckField label="Stay signed in on this computer" isChecked={isForLong} onChange={setForLong} />
                <button type="submit" class="button button-main" disabled={isBusy}>
                    Sign in
                </button>
            </form>
        </main>
    );
}
