//! Kernels, functions, their parameters and directives (PTX ISA, sections 5.1, 7.1 and 11.4).

use super::{Parser, Result, error, unexpected};
use crate::ast::{Directives, Function, FunctionKind, Linkage, Parameter, Type};
use crate::lexer::{Kind, Token};
use crate::types::type_of;

/// Parameter blocks are at most 32,764 bytes on the devices we describe; a text may not ask for unbounded ones.
const LARGEST_BLOCK: u64 = 1 << 20;

impl<'t> Parser<'t> {
    /// Behind `.entry` or `.func`: header, then `;` or a body.
    pub(super) fn function(&mut self, directive: Token<'t>, linkage: Linkage) -> Result<()> {
        let header = self.at;
        let kind = if directive.text == ".entry" { FunctionKind::Kernel } else { FunctionKind::Device };
        while self.accept_word(".attribute") {
            self.skip_parentheses()?;
        }
        let returns = if self.peek().kind == Kind::OpenParenthesis { self.parameters()? } else { Vec::new() };
        let name = self.symbol_name()?;
        let parameters = if self.peek().kind == Kind::OpenParenthesis { self.parameters()? } else { Vec::new() };
        let mut function = Function {
            name,
            kind,
            linkage,
            returns,
            parameters,
            directives: Directives::default(),
            body: None,
            broken: None,
            location: directive.location(),
            unit: 0,
        };
        self.directives(&mut function.directives)?;
        self.sources.begin_function();
        let token = self.next();
        match token.kind {
            Kind::Semicolon => {}
            Kind::OpenBrace => {
                let start = self.at;
                match self.body(&function, header) {
                    Ok(body) => function.body = Some(body),
                    Err(error) => {
                        self.at = start;
                        self.skip_to_close(Kind::OpenBrace, Kind::CloseBrace)?;
                        function.broken = Some(error);
                        function.body = None;
                    }
                }
            }
            _ => return Err(unexpected(token, "`;` or `{`")),
        }
        if self.defined.contains_key(&function.name) && (function.body.is_some() || function.broken.is_some()) {
            return Err(error(directive, format!("`{}` is defined twice", function.name)));
        }
        self.add(function);
        Ok(())
    }

    /// `( parameter, … )`, with their offsets in the parameter block.
    pub(super) fn parameters(&mut self) -> Result<Vec<Parameter>> {
        self.expect(Kind::OpenParenthesis, "`(`")?;
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut end = 0u64;
        while !self.accept(Kind::CloseParenthesis) {
            if !parameters.is_empty() {
                self.expect(Kind::Comma, "`,` or `)`")?;
            }
            let token = self.peek();
            let mut parameter = self.parameter()?;
            let offset = end.next_multiple_of(u64::from(parameter.align));
            end = offset + u64::from(parameter.size);
            if end > LARGEST_BLOCK {
                return Err(error(token, "the parameters are larger than 1 MiB"));
            }
            parameter.offset = offset as u32;
            parameters.push(parameter);
        }
        Ok(parameters)
    }

    fn parameter(&mut self) -> Result<Parameter> {
        let token = self.next();
        let register = match token.text {
            ".reg" => true,
            ".param" => false,
            _ => return Err(unexpected(token, "`.param` or `.reg`")),
        };
        let (mut align, mut ty) = (None, None);
        while self.peek().kind == Kind::Dot {
            let word = self.next();
            match word.text {
                ".align" => align = Some(self.alignment()?),
                // `.ptr .space .align n` tells what the pointer points to.
                ".ptr" => {
                    while self.peek().kind == Kind::Dot {
                        if self.next().text == ".align" {
                            self.alignment()?;
                        }
                    }
                }
                text => {
                    ty = type_of(&text[1..]);
                    if ty.is_none() {
                        return Err(error(word, format!("unknown word `{text}` of a parameter")));
                    }
                }
            }
        }
        let ty: Type = ty.ok_or_else(|| unexpected(self.peek(), "a type"))?;
        let mut size = u64::from(ty.size());
        let name = match self.peek().kind {
            Kind::Identifier => self.symbol_name()?,
            Kind::Underscore => {
                self.next();
                self.intern("")
            }
            _ => return Err(unexpected(self.peek(), "a name")),
        };
        while self.accept(Kind::OpenBracket) {
            let count = if self.peek().kind == Kind::CloseBracket { 0 } else { self.unsigned(LARGEST_BLOCK)? };
            self.expect(Kind::CloseBracket, "`]`")?;
            size = (size * count).min(LARGEST_BLOCK + 1);
        }
        Ok(Parameter { name, ty, align: align.unwrap_or(ty.size()), size: size as u32, offset: 0, register })
    }

    fn directives(&mut self, directives: &mut Directives) -> Result<()> {
        while self.peek().kind == Kind::Dot {
            let token = self.next();
            match token.text {
                ".maxntid" => directives.max_threads = Some(self.dimensions()?),
                ".reqntid" => directives.required_threads = Some(self.dimensions()?),
                ".reqnctapercluster" => directives.required_cluster = Some(self.dimensions()?),
                ".minnctapersm" => directives.min_blocks_per_sm = Some(self.unsigned(u32::MAX.into())? as u32),
                // What `.minnctapersm` was called before PTX 2.0.
                ".maxnctapersm" => drop(self.unsigned(u32::MAX.into())?),
                ".maxnreg" => directives.max_registers = Some(self.unsigned(u32::MAX.into())? as u32),
                ".maxclusterrank" => directives.max_cluster_rank = Some(self.unsigned(u32::MAX.into())? as u32),
                ".explicitcluster" => directives.explicit_cluster = true,
                ".noreturn" => directives.no_return = true,
                ".pragma" => self.skip_statement()?,
                ".abi_preserve" | ".abi_preserve_control" => drop(self.unsigned(u32::MAX.into())?),
                ".blocksareclusters" => directives.blocks_are_clusters = true,
                text => return Err(error(token, format!("unknown directive `{text}` of a function"))),
            }
        }
        Ok(())
    }

    fn dimensions(&mut self) -> Result<[u32; 3]> {
        let mut dimensions = [1; 3];
        for (at, dimension) in dimensions.iter_mut().enumerate() {
            if at > 0 && !self.accept(Kind::Comma) {
                break;
            }
            *dimension = self.unsigned(u32::MAX.into())? as u32;
        }
        Ok(dimensions)
    }
}
