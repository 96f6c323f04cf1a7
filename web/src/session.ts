/* session: the token that calls are made with, and whether one is needed.
 *
 * Kept in sessionStorage (goes with the tab) or, by choice, in localStorage. Never in a cookie: so no other site can make
 * this browser call Belfry.
 */
import { signal } from "@preact/signals";
import type { Whoami } from "../generated/schema";

const KEY = "belfry.token";

export type Session = "unknown" | "in" | "out";

export const token = signal(sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? "");
/** in: calls are answered; out: they are refused for want of a good token. */
export const session = signal<Session>("unknown");
/** Why the last token is not good any more; "" where there is nothing to say. */
export const refusal = signal("");

/** Who the token is; null while nobody knows. */
export const who = signal<Whoami | null>(null);

/** Whether a button for this is to be offered: what would be refused is not. */
export function may(what: "operate" | "configure"): boolean {
    return who.value?.may.includes(what) ?? false;
}

export function keepToken(value: string, isForLong: boolean) {
    forgetToken();
    (isForLong ? localStorage : sessionStorage).setItem(KEY, value);
    token.value = value;
}

export function forgetToken() {
    sessionStorage.removeItem(KEY);
    localStorage.removeItem(KEY);
    token.value = "";
}

export function signOut(why = "") {
    forgetToken();
    who.value = null;
    refusal.value = why;
    session.value = "out";
}
