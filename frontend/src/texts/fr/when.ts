// Days with times in sentences: `demain 02:00` takes no article, `sam. 21 nov. 02:00` does.

const isNear = (when: string) => /^(hier|aujourd|demain)/.test(when);

/** `demain 02:00`, `le sam. 21 nov. 02:00` */
export const on = (when: string) => (isNear(when) ? when : `le ${when}`);

/** `d’aujourd’hui 22:00`, `de demain 02:00`, `du sam. 21 nov. 22:00` */
export const from = (when: string) => (/^(hier|aujourd)/.test(when) ? `d’${when}` : `${isNear(when) ? 'de' : 'du'} ${when}`);

/** `à demain 02:00`, `au sam. 21 nov. 02:00` */
export const to = (when: string) => `${isNear(when) ? 'à' : 'au'} ${when}`;
