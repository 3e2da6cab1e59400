package org.lockstorm.worker;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The JSON of one line: objects as maps, arrays as lists, numbers as doubles or longs. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** The object that a line holds. Throws IllegalArgumentException when it holds anything else. */
  static Map<String, Object> parse(String line) {
    Json json = new Json(line);
    Object value = json.value();
    json.space();
    if (json.at < line.length()) throw json.wrong("something after the value");
    return asObject(value, "the line");
  }

  static String text(Map<String, Object> message, String field) {
    if (message.get(field) instanceof String text) return text;
    throw new IllegalArgumentException("`" + field + "` is no text");
  }

  static long number(Map<String, Object> message, String field) {
    if (message.get(field) instanceof Number number) return number.longValue();
    throw new IllegalArgumentException("`" + field + "` is no number");
  }

  static Map<String, Object> object(Map<String, Object> message, String field) {
    return asObject(message.get(field), "`" + field + "`");
  }

  static List<Map<String, Object>> objects(Map<String, Object> message, String field) {
    if (!(message.get(field) instanceof List<?> list)) throw new IllegalArgumentException("`" + field + "` is no list");
    return list.stream().map(one -> asObject(one, "`" + field + "`")).toList();
  }

  static List<String> texts(Map<String, Object> message, String field) {
    if (!(message.get(field) instanceof List<?> list)) throw new IllegalArgumentException("`" + field + "` is no list");
    return list.stream().map(String.class::cast).toList();
  }

  @SuppressWarnings("unchecked") // Maps are only made by this class, with text as keys.
  private static Map<String, Object> asObject(Object value, String what) {
    if (value instanceof Map<?, ?> map) return (Map<String, Object>) map;
    throw new IllegalArgumentException(what + " is no object");
  }

  static String write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(Object value, StringBuilder out) {
    if (value instanceof String text) quote(text, out);
    else if (value instanceof Map<?, ?> map) {
      String before = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.append(before);
        quote((String) entry.getKey(), out);
        out.append(':');
        write(entry.getValue(), out);
        before = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else out.append(value);
  }

  private static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int index = 0; index < text.length(); index++) {
      char letter = text.charAt(index);
      if (letter == '"' || letter == '\\') out.append('\\').append(letter);
      else if (letter < ' ' || letter > '~') out.append(String.format("\\u%04x", (int) letter));
      else out.append(letter);
    }
    out.append('"');
  }

  private Object value() {
    space();
    if (at == text.length()) throw wrong("the end");
    char first = text.charAt(at);
    return switch (first) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> object = new LinkedHashMap<>();
    at++;
    if (next('}')) return object;
    do {
      space();
      String name = string();
      if (!next(':')) throw wrong("no colon");
      object.put(name, value());
    } while (next(','));
    if (!next('}')) throw wrong("no end of an object");
    return object;
  }

  private List<Object> array() {
    List<Object> array = new ArrayList<>();
    at++;
    if (next(']')) return array;
    do array.add(value());
    while (next(','));
    if (!next(']')) throw wrong("no end of an array");
    return array;
  }

  private String string() {
    if (at == text.length() || text.charAt(at) != '"') throw wrong("no text");
    StringBuilder string = new StringBuilder();
    for (at++; at < text.length(); at++) {
      char letter = text.charAt(at);
      if (letter == '"') {
        at++;
        return string.toString();
      }
      string.append(letter == '\\' ? escaped() : letter);
    }
    throw wrong("no end of a text");
  }

  private char escaped() {
    at++;
    if (at == text.length()) throw wrong("no end of a text");
    char letter = text.charAt(at);
    return switch (letter) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> {
        if (at + 4 >= text.length()) throw wrong("no end of a text");
        char code = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
        at += 4;
        yield code;
      }
      default -> letter;
    };
  }

  private Object word(String word, Object meaning) {
    if (!text.startsWith(word, at)) throw wrong("an unknown word");
    at += word.length();
    return meaning;
  }

  private Number number() {
    int from = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
    String digits = text.substring(from, at);
    try {
      if (digits.matches("-?\\d{1,18}")) return Long.valueOf(digits);
      return Double.valueOf(digits);
    } catch (NumberFormatException error) {
      throw wrong("no value");
    }
  }

  private boolean next(char wanted) {
    space();
    if (at == text.length() || text.charAt(at) != wanted) return false;
    at++;
    return true;
  }

  private void space() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("no JSON: " + what + " at " + at);
  }
}
