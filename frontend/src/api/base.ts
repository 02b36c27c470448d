/** The address of the service, which is where the page comes from, without a slash at its end. */
export const base = new URL('.', document.baseURI).href.replace(/\/$/, '');
