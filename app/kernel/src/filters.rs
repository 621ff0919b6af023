//! Quoted text and the shape of a search filter.

use crate::text::Text;

/// Whether the quote at q is the closing one: the line ends or another key=... follows.
#[inline]
fn ends_here(t: Text, q: usize, e: usize) -> bool {
    let mut p = q + 1;
    if p >= e {
        return true;
    }
    if t.byte(p) != b' ' {
        return false;
    }
    p += 1;
    let start = p;
    while p < e && (t.byte(p).is_ascii_alphabetic() || t.byte(p) == b'_') {
        p += 1;
    }
    p >= e || (p > start && t.byte(p) == b'=')
}

/// Where the quote is that closes the text starting at p, e if there is none.
///
/// Servers do not escape a quote inside, so the first one followed by the end of the line or by
/// another key counts, else the last one.
#[inline]
pub fn quote_end(t: Text, p: usize, e: usize) -> usize {
    let mut last = e;
    let mut q = t.find(p, e, b'"');
    while q < e {
        if ends_here(t, q, e) {
            return q;
        }
        last = q;
        q = t.find(q + 1, e, b'"');
    }
    last
}

/// A filter with every assertion value replaced by '?', behind what the buffer has.
///
/// '(&(objectClass=person)(cn=us*r))' becomes '(&(objectclass=?)(cn=?*?))': attribute names in
/// lower case, a star stays, so presence, prefix and substring searches remain apart.
#[inline]
pub fn shape(t: Text, mut p: usize, e: usize, shape: &mut Vec<u8>) {
    while p < e {
        let start = shape.len();
        let value = (t.find_either(p, e, b'=', b'=') + 1).min(e);
        shape.extend_from_slice(t.between(p, value));
        shape[start..].make_ascii_lowercase();
        p = value;
        while p < e {
            let end = t.find_either(p, e, b')', b'*');
            if end > p {
                shape.push(b'?');
            }
            if end < e {
                shape.push(t.byte(end));
            }
            p = end + 1;
            if t.byte(end) == b')' {
                break;
            }
        }
    }
}
